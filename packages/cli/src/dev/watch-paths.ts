import path, { type PlatformPath } from "node:path";
import { messageOf } from "@tritype/core";
import { type FSWatcher, watch } from "chokidar";

export interface PathWatchOptions {
  readonly paths: readonly string[];
  /** Maximum folder depth; default: unlimited. */
  readonly depth?: number;
  /** Paths whose changes are ignored. */
  readonly ignored: (path: string) => boolean;
  /**
   * Milliseconds of silence after which a change counts as complete: editors and copies write in pieces. If changes
   * never stop, one counts as complete after 20 times as long.
   */
  readonly quiet: number;
  /**
   * Called when something may have changed. This is only a hint: the receiver must check the files. @param since When the first change was
   * seen, as a value of `performance.now()`.
   */
  readonly onChange: (since: number) => void;
  /** Called if the machine cannot watch files, or no longer can. */
  readonly onProblem: (text: string) => void;
}

export interface PathWatch {
  add(paths: readonly string[]): void;
  close(): Promise<void>;
}

/** chokidar passes paths with "/", even on Windows, where all other paths have backslashes. */
export const withOwnSeparators =
  (ignored: PathWatchOptions["ignored"], { normalize }: Pick<PlatformPath, "normalize"> = path) =>
  (given: string): boolean =>
    ignored(normalize(given));

/** Watches files and folders. Changes made before the watch was ready are also reported, as one change. */
export const watchPaths = (options: PathWatchOptions): PathWatch => {
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const fire = (): void => {
    timer = undefined;
    const first = since ?? performance.now();
    since = undefined;
    if (!closed) options.onChange(first);
  };
  const wait = (): void => {
    since ??= performance.now();
    // In a folder such as /tmp, something may change all the time.
    if (timer !== undefined && performance.now() - since > 20 * options.quiet) return;
    clearTimeout(timer);
    timer = setTimeout(fire, options.quiet);
  };
  const watcher: FSWatcher = watch([...options.paths], {
    ignoreInitial: true,
    // The watcher reports a rename immediately, in two steps, so this code waits.
    atomic: false,
    ignorePermissionErrors: true,
    ignored: withOwnSeparators(options.ignored),
    ...(options.depth === undefined ? {} : { depth: options.depth }),
  });
  watcher.on("all", wait);
  // This event is the only sign of a replaced folder. It is also emitted for ignored files, so it does not prolong the wait.
  watcher.on("raw", () => {
    if (timer === undefined) wait();
  });
  watcher.on("ready", wait);
  watcher.on("error", (error) => options.onProblem(messageOf(error)));
  return {
    add: (paths) => {
      watcher.add([...paths]);
      wait();
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await watcher.close();
    },
  };
};
