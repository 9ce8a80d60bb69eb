import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { counted, shellWord } from "@tritype/core";
import type { Hub } from "@tritype/hub";
import { fileOnDisk, type LockedFile, type LockedModel, type ModelsLock } from "@tritype/project";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";
import type { DownloadMeter } from "./download-meter.ts";
import { foreignFiles, placeFile, refuseForeign } from "./place-files.ts";
import { cliError } from "../errors.ts";

/** Restores every file in the lock file to its path, with the bytes that it had. */
export const restoreModels = async (
  root: string,
  lock: ModelsLock,
  hub: () => Hub,
  meter: DownloadMeter,
  { force, dryRun }: { readonly force: boolean; readonly dryRun: boolean },
  terminal: Terminal,
): Promise<void> => {
  const all = Object.values(lock).flatMap((model) =>
    Object.entries(model.files).map(([to, file]) => ({ to, file, model, sha256: file.sha256 })),
  );
  if (!force)
    refuseForeign(
      foreignFiles(root, all, () => undefined),
      "add your version of the file again, move it away, or overwrite it with --force",
    );
  let brought = 0;
  for (const { to, file, model, sha256 } of all) {
    if (fileOnDisk(join(root, to))?.sha256() === sha256) continue;
    brought++;
    if (dryRun) {
      terminal.out(`${to}  ${model.source}`);
      continue;
    }
    const from = await bytesOf(root, model, file, hub, meter, terminal);
    placeFile(root, { to, from, sha256 });
    terminal.note(`${terminal.colors.green("wrote")} ${to}`);
  }
  terminal.note(
    dryRun
      ? `nothing was written; missing: ${brought} of ${counted(all.length, "file")}`
      : brought === 0
        ? `up to date: ${counted(all.length, "file")} of ${Object.keys(lock).join(", ")}`
        : `restored ${brought} of ${counted(all.length, "file")}; the rest already existed`,
  );
};

/** A file on this machine with the locked bytes. */
const bytesOf = async (
  root: string,
  { source, commit }: LockedModel,
  { from, size, sha256, gitBlob }: LockedFile,
  hub: () => Hub,
  meter: DownloadMeter,
  terminal: Terminal,
): Promise<string> => {
  const local = commit === undefined;
  const path = local
    ? localPath(root, source, from)
    : await meter.during(from, size, (progress) =>
        hub().download(
          { name: source.slice("hf:".length), commit },
          {
            path: from,
            size,
            hash:
              gitBlob === undefined ? { kind: "sha256", hex: sha256 } : { kind: "git-sha1", hex: gitBlob },
          },
          progress,
        ),
      );
  if (local && !existsSync(path))
    throw cliError("lock/model-missing", { path: shownPath(terminal.cwd, path), source: shellWord(source) });
  if (fileOnDisk(path)?.sha256() === sha256) return path;
  throw cliError("lock/model-changed", { path: shownPath(terminal.cwd, path), source: shellWord(source) });
};

const localPath = (root: string, source: string, from: string): string => {
  const path = resolve(root, source);
  return source.endsWith(".onnx") ? join(path, "..", from) : join(path, from);
};
