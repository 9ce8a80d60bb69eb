import { Script } from "node:vm";

const script = new Script("globalThis.translatorCalls()");

/**
 * Calls functions that may not end. Returns each result, or undefined after that many milliseconds. A limit needs a
 * thread, so calls share a thread until one of them is late.
 */
export const eachWithinTime = <T>(
  calls: readonly (() => T)[],
  milliseconds: number,
): readonly ({ readonly value: T } | undefined)[] => {
  const made: ({ readonly value: T } | undefined)[] = [];
  while (made.length < calls.length) {
    const first = made.length;
    const ended = runLimited(() => {
      for (const call of calls.slice(first)) made.push({ value: call() });
    }, milliseconds);
    // The interrupted call had the whole time only if it was the first one.
    if (!ended && made.length === first) made.push(undefined);
  }
  return made;
};

/** Runs a function; returns whether it ended in time. */
const runLimited = (run: () => void, milliseconds: number): boolean => {
  const globals = globalThis as { translatorCalls?: () => void };
  globals.translatorCalls = run;
  try {
    script.runInThisContext({ timeout: milliseconds });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  } finally {
    delete globals.translatorCalls;
  }
};
