import { setTimeout as sleep } from "node:timers/promises";
import type { Commit } from "@tritype/project";

/** A number in memory shared by two threads: one replaces the files of a build, the other may stop that build. */
export type CommitGate = SharedArrayBuffer;

const free = 0;
const busy = 1;
const closed = 2;

export const openGate = (): CommitGate => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** Marks the gate while it commits. Once the gate is closed, it throws instead, because the thread is about to be terminated. */
export const commitThrough =
  (gate: CommitGate): Commit =>
  (work) => {
    const state = new Int32Array(gate);
    if (Atomics.compareExchange(state, 0, free, busy) !== free) throw new Error("the build is being stopped");
    try {
      work();
    } finally {
      Atomics.store(state, 0, free);
    }
  };

/**
 * Waits for a running commit, which takes milliseconds, and prevents others. Returns whether there was one.
 * @param hasEnded Whether the committing thread has ended, so that it cannot finish.
 */
export const closeGate = async (gate: CommitGate, hasEnded: () => boolean): Promise<boolean> => {
  const state = new Int32Array(gate);
  for (let found = false; ; found = true) {
    if (Atomics.compareExchange(state, 0, free, closed) !== busy || hasEnded()) return found;
    await sleep(5);
  }
};
