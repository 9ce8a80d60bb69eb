import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "@tritype/core";
import { fileOnDisk } from "../files/file-on-disk.ts";
import { lockName, readLock } from "./models-lock.ts";

const missingFile: ReadonlySet<string> = new Set([
  "onnx/file-not-found",
  "onnx/external-data-not-found",
  "tokenizer/file-not-found",
]);

/**
 * Adds help to errors about files in the lock: for a missing file, that `pipeline add` can restore it; for a file that
 * differs from the one that was added, that it has changed.
 */
export const helpFromLock = (root: string, diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0 || !existsSync(join(root, lockName))) return diagnostics;
  const named = Object.values(readLock(root))
    .flatMap(({ files }) => Object.entries(files))
    .filter(([path]) => errors.some((error) => names(error, path)))
    .map(([path, { sha256 }]) => ({ path, found: fileOnDisk(join(root, path))?.sha256(), sha256 }));
  return diagnostics.map((diagnostic) => {
    const locked = named.filter(({ path }) => names(diagnostic, path));
    if (missingFile.has(diagnostic.code) && locked.some(({ found }) => found === undefined))
      return { ...diagnostic, help: `run \`pipeline add\`, which downloads the files in ${lockName}` };
    const changed = locked.find(({ found, sha256 }) => found !== undefined && found !== sha256);
    if (diagnostic.severity !== "error" || changed === undefined) return diagnostic;
    return {
      ...diagnostic,
      notes: [
        ...diagnostic.notes,
        `${changed.path} changed after \`pipeline add\`: its SHA-256 differs from ${lockName}`,
      ],
      help: `\`pipeline add --force\` restores every file in ${lockName}`,
    };
  });
};

const names = ({ message, notes }: Diagnostic, path: string): boolean =>
  [message, ...notes].some((text) => text.includes(path));
