import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";
import type { BuildOutcome } from "./build-messages.ts";
import { editedSince, type Moment, momentNow } from "./edited-since.ts";
import { type InputStamps, placesOf, sameStamps, stampInputs, stampOf } from "./input-stamps.ts";
import type { ServedBuild } from "./served-build.ts";
import { type PathWatch, watchPaths } from "./watch-paths.ts";

export interface ProjectWatchOptions {
  /** Root of the project. */
  readonly root: string;
  /** Builds again into the same folder. */
  readonly build: (output: string) => Promise<BuildOutcome>;
  /** The first build. If it failed, the folder's previous content is served. */
  readonly first: Exclude<BuildOutcome, { kind: "moved" }> & { readonly output: string };
  /** The time at which the build began. */
  readonly startedAt: Moment;
  readonly served: ServedBuild;
  readonly terminal: Terminal;
  /** Called with the report on a failed build, and with "" when a later build has succeeded. */
  readonly onFailure: (text: string) => void;
}

export interface Watching {
  /** Resolves once no build or reload is running. */
  close(): Promise<void>;
}

const quiet = 75;
/** Milliseconds for which a file may stay empty (editors truncate a file and then write it), and a failure may be out of date. */
const patience = { empty: 400, outdated: 2000 };

/**
 * Rebuilds and reloads whenever a file that the last build read or looked for changes, when the build is deleted, or when another
 * process commits one. After a failed build, any change next to those files counts, because a missing file may have appeared.
 */
export const watchProject = (options: ProjectWatchOptions): Watching => {
  const { root, build, first, startedAt, served, terminal, onFailure } = options;
  const manifest = join(first.output, "manifest.json");
  let inputs: InputStamps = stampInputs(first.inputs);
  let places: InputStamps = new Map();
  let committed = stampOf(manifest);
  let failure = first.kind === "failed" ? first.notes.join("\n") : undefined;
  let warnings = failure === undefined ? first.notes.join("\n") : "";
  let hinted = editedSince(first.inputs, startedAt);
  let pending: number | undefined;
  let working: Promise<void> | undefined;
  const closing = new AbortController();
  let watch: PathWatch | undefined;

  const isIgnored = (path: string): boolean => {
    if (passing.test(basename(path))) return true;
    return failure === undefined && !inputs.has(path) && !places.has(path) && path !== manifest;
  };
  const open = (): PathWatch =>
    watchPaths({
      paths: [...places.keys()],
      depth: 0,
      ignored: isIgnored,
      quiet,
      onChange,
      onProblem: (text) =>
        terminal.note(
          `${terminal.colors.dim("note")} files cannot be watched (${text}): start again after edits, or set CHOKIDAR_USEPOLLING=1`,
        ),
    });
  /** A replaced folder is watched again, because its old watch ended with the old folder. */
  const follow = async (): Promise<void> => {
    const now = stampInputs(
      [...placesOf(root, inputs.keys()), first.output].filter((path) => stampOf(path) !== "missing"),
    );
    const replaced = [...places].some(
      ([path, stamp]) => stamp.startsWith("folder:") && now.get(path) !== stamp,
    );
    const added = [...now.keys()].filter((path) => !places.has(path));
    places = now;
    if (watch === undefined || replaced) {
      await watch?.close();
      if (!closing.signal.aborted) watch = open();
    } else if (added.length > 0) watch.add(added);
  };
  const onChange = (since: number): void => {
    if (failure !== undefined) hinted = true;
    pending ??= since;
    working ??= work().finally(() => (working = undefined));
  };
  const work = async (): Promise<void> => {
    while (pending !== undefined && !closing.signal.aborted) {
      const since = pending;
      pending = undefined;
      const before = await writtenInputs();
      const isSame = sameStamps(before, inputs);
      const isEdited = hinted || !isSame;
      const isDeleted = isSame && stampOf(manifest) === "missing" && committed !== "missing";
      if (isDeleted) terminal.note(`${shownPath(terminal.cwd, manifest)} was deleted: building again`);
      if (isEdited || isDeleted) {
        hinted = false;
        const isOutdated = await rebuild(before, since);
        // Edits made in the meantime may have been reported before this build began.
        if (isOutdated) pending = since;
        else if (isEdited) pending ??= performance.now();
      } else if (stampOf(manifest) !== committed) {
        committed = stampOf(manifest);
        await served.reload(since);
      }
      await follow();
    }
  };
  /** The stamps of the inputs, as soon as none of them is between its truncation and the write. */
  const writtenInputs = async (): Promise<InputStamps> => {
    const until = performance.now() + patience.empty;
    for (;;) {
      const now = stampInputs(inputs.keys());
      const isTruncated = [...now].some(
        ([path, stamp]) => stamp.startsWith("0:") && inputs.get(path) !== stamp,
      );
      if (!isTruncated || performance.now() > until || closing.signal.aborted) return now;
      await sleep(10);
    }
  };
  /** Returns whether it failed with files that have changed since: then the next build decides. */
  const rebuild = async (before: InputStamps, since: number): Promise<boolean> => {
    const began = momentNow();
    const outcome = await build(first.output);
    // A file that was read for the first time may have been edited during the build.
    const added = outcome.inputs.filter((path) => !before.has(path));
    const addedEdited = editedSince(added, began);
    if (addedEdited) hinted = true;
    const paths = outcome.kind === "failed" ? [...inputs.keys(), ...outcome.inputs] : outcome.inputs;
    inputs = new Map(paths.map((path) => [path, before.get(path) ?? stampOf(path)]));
    const isOutdated =
      outcome.kind === "failed" &&
      (addedEdited || !sameStamps(stampInputs(inputs.keys()), inputs)) &&
      performance.now() - since < patience.outdated;
    if (!closing.signal.aborted && !isOutdated) await serve(outcome, since);
    return isOutdated;
  };
  const serve = async (outcome: BuildOutcome, since: number): Promise<void> => {
    if (outcome.kind === "built") {
      const fixed = failure !== undefined;
      failure = undefined;
      if (fixed) onFailure("");
      const said = outcome.notes.join("\n");
      if (said !== warnings && said !== "") terminal.note(said);
      warnings = said;
      committed = stampOf(manifest);
      if ((await served.reload(since)) !== "same") return;
      const took = terminal.colors.dim(`(${Math.round(performance.now() - since)} ms)`);
      terminal.note(
        fixed ? `fixed: serving the build of ${served.time()} ${took}` : `nothing changed ${took}`,
      );
      return;
    }
    const said = outcome.kind === "failed" ? outcome.notes.join("\n") : movedText(outcome.output);
    // A change next to the relevant files triggers a build too, which may fail in the same way.
    if (said === failure) return;
    failure = said;
    onFailure(said);
    terminal.note(said);
    served.sayStillServing();
  };
  const movedText = (output: string): string =>
    `the project builds into ${shownPath(terminal.cwd, output)} now, and ${shownPath(terminal.cwd, first.output)} is served: start \`pipeline dev\` again`;

  if (failure !== undefined) onFailure(failure);
  void follow();
  return {
    close: async () => {
      closing.abort();
      await watch?.close();
      await working;
    },
  };
};

/** Files that tools create next to sources; a source may be in another hidden folder. */
const passing = /^\.(?:git|hg|svn|DS_Store)$|^node_modules$|^__pycache__$|~$|\.sw[opx]$|^4913$/;
