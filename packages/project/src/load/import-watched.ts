import { setImmediate as nextTurn } from "node:timers/promises";
import { projectError } from "../errors.ts";

let last: Promise<unknown> = Promise.resolve();

/**
 * Imports the user's code, one load after another. Errors and rejections that it leaves unhandled reject the result, and so do
 * `process.exit` and an `await` at the top level that nothing can settle any more.
 */
export const importWatched = <T>(load: () => Promise<T>): Promise<T> => {
  const made = last.then(() => watched(load));
  last = made.catch(() => {});
  return made;
};

const watched = async <T>(load: () => Promise<T>): Promise<T> => {
  const { exit } = process;
  let fail: (error: unknown) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const stall = (): void => {
    // Node ends after this event unless something is left to do.
    setImmediate(fail, projectError("load/never-settles", {}));
  };
  process.exit = (code) => {
    throw projectError("load/exit", { code: code ?? "" });
  };
  process.on("uncaughtException", fail).on("unhandledRejection", fail).on("beforeExit", stall);
  try {
    return await Promise.race([withFollowers(load), failure]);
  } finally {
    process.exit = exit;
    process.off("uncaughtException", fail).off("unhandledRejection", fail).off("beforeExit", stall);
  }
};

/** Rejections that nothing handles are only known a turn later. */
const withFollowers = async <T>(load: () => Promise<T>): Promise<T> => {
  const loaded = await load();
  await nextTurn();
  return loaded;
};
