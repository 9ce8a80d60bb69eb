import { ClientError } from "./client-error.ts";
import { wordFor } from "./word-for.ts";

/** The deadline and the cancellation of a call. */
export interface Scope {
  /** Aborted when the call must end. */
  readonly signal: AbortSignal;
  /** The error for a time limit that was reached, here or on the server. */
  readonly late: (cause?: unknown, mayHaveRun?: boolean) => ClientError;
  /** The remaining milliseconds; undefined without a deadline. */
  readonly remainingMs: () => number | undefined;
  /** The reason why the call must end; undefined while it may continue. */
  readonly ended: () => ClientError | undefined;
  /** Settles like the promise, but rejects as soon as the call must end. */
  readonly race: <T>(promise: Promise<T>) => Promise<T>;
  /** Must be called once the call is over. */
  readonly close: () => void;
}

/** Milliseconds from which a deadline counts as none: neither timers nor gRPC can wait for longer than 2 ** 31 ms. */
const longestDeadline = 2_000_000_000;

/**
 * @param left Aborted when the reader of a stream stops; only streams have it.
 * @throws ClientError `invalid` for an invalid deadline; `cancelled` if the signal is already aborted.
 */
export const openScope = (
  signal: AbortSignal | undefined,
  given: number | undefined,
  left?: AbortSignal,
): Scope => {
  if (given !== undefined && !(typeof given === "number" && given > 0))
    throw new ClientError(
      "invalid",
      `deadlineMs must be a number of milliseconds above 0, got ${wordFor(given)}`,
    );
  const deadlineMs = given === undefined || given >= longestDeadline ? undefined : given;
  const words =
    deadlineMs === undefined
      ? "the request reached its time limit"
      : left === undefined
        ? `no answer within ${deadlineMs} ms`
        : `the stream did not end within ${deadlineMs} ms`;
  const late = (cause?: unknown, mayHaveRun = true): ClientError =>
    new ClientError("deadline", words, { cause, mayHaveRun });
  const controller = new AbortController();
  const end = deadlineMs === undefined ? undefined : performance.now() + deadlineMs;
  let error: ClientError | undefined;
  const stop = (reason: ClientError): void => {
    error ??= reason;
    controller.abort(error);
  };
  const cancel = (): void =>
    stop(
      new ClientError("cancelled", "the caller cancelled the request", {
        cause: signal?.reason,
        mayHaveRun: true,
      }),
    );
  if (signal?.aborted)
    throw new ClientError("cancelled", "your signal is already aborted", { cause: signal.reason });
  for (const one of [signal, left]) one?.addEventListener("abort", cancel, { once: true });
  const timer = deadlineMs === undefined ? undefined : setTimeout(() => stop(late()), deadlineMs);
  return {
    signal: controller.signal,
    late,
    remainingMs: () => (end === undefined ? undefined : Math.max(0, end - performance.now())),
    ended: () => error,
    race: (promise) =>
      new Promise((resolve, reject) => {
        const onAbort = (): void => reject(controller.signal.reason as ClientError);
        if (controller.signal.aborted) onAbort();
        controller.signal.addEventListener("abort", onAbort, { once: true });
        promise.then(resolve, reject).finally(() => controller.signal.removeEventListener("abort", onAbort));
      }),
    close: () => {
      clearTimeout(timer);
      for (const one of [signal, left]) one?.removeEventListener("abort", cancel);
    },
  };
};
