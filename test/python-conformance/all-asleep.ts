import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until no thread of a process is running or about to run. A thread that has work to do but gets no processor is about to
 * run, so the result does not depend on how busy the machine is.
 */
export const allAsleep = async (process: number): Promise<void> => {
  for (let before: string | undefined; ; await sleep(2)) {
    const now = sleepersOf(process);
    // All of them slept between these two readings.
    if (now !== undefined && now === before) return;
    before = now;
  }
};

/** How often each thread has gone to sleep; undefined if one is not asleep. */
const sleepersOf = (process: number): string | undefined => {
  const folder = `/proc/${process}/task`;
  const threads = readdirSync(folder).map((thread) => {
    const text = readFileSync(`${folder}/${thread}/status`, "utf8");
    return /^State:\tS[^]*^voluntary_ctxt_switches:\t(\d+)/m.exec(text)?.[1];
  });
  return threads.includes(undefined) ? undefined : threads.join();
};
