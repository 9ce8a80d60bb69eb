import { type FSWatcher, watch } from "chokidar";

export interface PathWatchOptions {
  readonly paths: readonly string[];
  /** How many folders down; without it, all. */
  readonly depth?: number;
  /** Paths whose changes are ignored. */
  readonly ignored: (path: string) => boolean;
  /** Milliseconds without a change after which a change counts as whole: editors and copies write in pieces. */
  readonly quiet: number;
  /**
   * Something may have changed. Only a hint: who gets it looks at the files.
   * @param since When the first change was seen, as `performance.now()`.
   */
  readonly onChange: (since: number) => void;
  /** The machine cannot watch (any more). */
  readonly onProblem: (text: string) => void;
}

export interface PathWatch {
  add(paths: readonly string[]): void;
  close(): Promise<void>;
}

/** Watches files and folders. Changes before the watch was ready are reported too, as one change. */
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
    clearTimeout(timer);
    timer = setTimeout(fire, options.quiet);
  };
  const watcher: FSWatcher = watch([...options.paths], {
    ignoreInitial: true,
    // Renames in two steps are reported at once; this code waits.
    atomic: false,
    ignorePermissionErrors: true,
    ignored: (path) => options.ignored(path),
    ...(options.depth === undefined ? {} : { depth: options.depth }),
  });
  watcher.on("all", wait);
  // Replaced folders show here alone. It tells of ignored files as well, so it does not prolong the wait.
  watcher.on("raw", () => {
    if (timer === undefined) wait();
  });
  watcher.on("ready", wait);
  watcher.on("error", (error) => options.onProblem(error instanceof Error ? error.message : String(error)));
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
