import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { attempt } from "@tritype/core";
import { passingFiles } from "@tritype/runtime/host";
import type { Terminal } from "../terminal.ts";
import { stampOf } from "./input-stamps.ts";
import type { ServedBuild } from "./served-build.ts";
import { type PathWatch, watchPaths } from "./watch-paths.ts";
import type { Watching } from "./watch-project.ts";

/** A build finishes by writing its manifest; a repository without one is copied file by file, in any order. */
const quiet = { built: 100, copied: 400 };
/** Maximum time to wait for a build in progress; a killed build leaves its traces until the next one. */
const patienceMs = 5000;

/** Reloads a repository whenever its files, or the manifest next to it, change. */
export const watchRepository = (folder: string, served: ServedBuild, terminal: Terminal): Watching => {
  const build = dirname(folder);
  const manifest = join(build, "manifest.json");
  let pending: { readonly since: number; readonly until: number } | undefined;
  let working: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  /** The parent folder is watched too, in case the build folder is deleted and recreated. */
  const above = dirname(build);
  const isIgnored = (path: string): boolean => {
    if ([above, build, manifest, folder].includes(path)) return false;
    return !path.startsWith(folder + sep) || passingFiles.test(basename(path));
  };
  const onChange = (since: number): void => {
    pending ??= { since, until: performance.now() + patienceMs };
    clearTimeout(timer);
    if (isWriting(build) && performance.now() < pending.until) {
      timer = setTimeout(() => onChange(since), quiet.built);
      return;
    }
    working ??= work().finally(() => (working = undefined));
  };
  const work = async (): Promise<void> => {
    while (pending !== undefined && !closing.signal.aborted) {
      const { since } = pending;
      pending = undefined;
      await served.reload(since);
      await follow();
    }
  };
  const foldersNow = (): string => `${stampOf(build)} ${stampOf(folder)}`;
  let folders = foldersNow();
  /** Watches a replaced folder again, because replacing it ends its watch. */
  const follow = async (): Promise<void> => {
    if (foldersNow() === folders || closing.signal.aborted) return;
    folders = foldersNow();
    await watch.close();
    if (!closing.signal.aborted) watch = open();
  };
  const open = (): PathWatch =>
    watchPaths({
      // Without permission to list a folder, the watcher does not find what is in it.
      paths: [above, build, folder],
      ignored: isIgnored,
      quiet: stampOf(manifest) === "missing" ? quiet.copied : quiet.built,
      onChange,
      onProblem: (text) =>
        terminal.note(
          `${terminal.colors.dim("note")} the repository cannot be watched (${text}): start again after changes, or set CHOKIDAR_USEPOLLING=1`,
        ),
    });
  let watch = open();
  return {
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      await watch.close();
      await working;
    },
  };
};

/** Whether a build is between its first and its last file. */
const isWriting = (build: string): boolean =>
  existsSync(join(build, ".lock")) ||
  attempt(() => readdirSync(build))?.some((name) => name.startsWith(".staging-")) === true;
