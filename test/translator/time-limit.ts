import { Script } from "node:vm";

const script = new Script("globalThis.translatorCalls()");

/**
 * Calls functions of which some may not end: for each its result, or undefined after that many milliseconds. A limit costs a
 * thread, so calls share one: after a late call the next ones get another.
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
    // The call that was interrupted had all of the time only if it was the first one.
    if (!ended && made.length === first) made.push(undefined);
  }
  return made;
};

/** Whether it ended in time. */
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
