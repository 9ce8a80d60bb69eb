import { foreignError } from "@tritype/core";
import { finish, type Steps } from "@tritype/protocol";
import type { CancelSignal } from "@tritype/runtime";

/** Maximum number of bytes of a message that is read in one go, which takes a few milliseconds. */
const shortMessage = 262_144;
/** Milliseconds that all large messages together may use in one turn of the event loop. */
const sliceTime = 10;

interface Job {
  /** Continues for a while; returns whether the work is complete. */
  readonly advance: () => boolean;
}

const jobs: Job[] = [];

/**
 * Runs the steps: those of a short message in one go, those of a long one in slices, so that other requests are
 * answered in between. Large messages take turns.
 * @param size Size in bytes of the message that they read or write.
 * @throws PipelineError `request/cancelled` if the request is no longer needed.
 */
export const inSlices = <T>(steps: Steps<T>, size: number, signal?: CancelSignal): T | Promise<T> =>
  size <= shortMessage ? finish(steps) : takeTurns(steps, signal);

const takeTurns = <T>(steps: Steps<T>, signal: CancelSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    const advance = (): boolean => {
      try {
        if (signal?.aborted === true) throw foreignError("request/cancelled", "Request was cancelled");
        const end = performance.now() + sliceTime;
        do {
          const step = steps.next();
          if (step.done !== true) continue;
          resolve(step.value);
          return true;
        } while (performance.now() < end);
        return false;
      } catch (error) {
        reject(error);
        return true;
      }
    };
    jobs.push({ advance });
    if (jobs.length === 1) setImmediate(turn);
  });

const turn = (): void => {
  const [job] = jobs;
  if (job === undefined) return;
  const ended = job.advance();
  jobs.shift();
  if (!ended) jobs.push(job);
  if (jobs.length > 0) setImmediate(turn);
};
