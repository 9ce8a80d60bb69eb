import { isTooLarge } from "./before-run.ts";
import type { ClientError } from "./client-error.ts";
import type { Scope } from "./scope.ts";

/** The conditions under which a call may be retried. */
export interface RetryPolicy {
  /** The maximum number of retries. */
  readonly retries: number;
  /** Milliseconds to wait before retry 1, 2, … */
  readonly backoff: (retry: number) => number;
  /** Sending a request twice is harmless, so it is retried even after a connection broke. */
  readonly idempotent: boolean;
  /** The request belongs to a sequence, and sending it twice would change the sequence's state twice. */
  readonly inSequence?: boolean;
}

/** Full jitter: anything up to 100 ms, 200 ms, 400 ms, …, at most 5 s. */
export const jitteredBackoff = (retry: number): number => Math.random() * Math.min(5_000, 50 * 2 ** retry);

/** The longest wait in milliseconds that a server may ask for; a call that would have to wait longer fails at once. */
const longestAsked = 60_000;
/** Timers cannot wait for longer. */
const longestTimer = 2 ** 31 - 1;

/** Sends until an attempt succeeds, the policy forbids a retry, or the time is up. */
export const withRetries = async <T>(
  send: () => Promise<T>,
  { retries, backoff, idempotent, inSequence = false }: RetryPolicy,
  scope: Scope,
): Promise<T> => {
  let repeatable = !inSequence;
  for (let retry = 1; ; retry++) {
    try {
      return await send();
    } catch (error) {
      const repeat = repeatable && (error as ClientError).onKeptConnection;
      if (retry > retries || !(repeat || isSafe(error as ClientError, idempotent))) throw error;
      // Repeats only once, as browsers do, because a request that ends its server would end the next one too.
      repeatable = false;
      const asked = (error as ClientError).retryAfterMs ?? 0;
      const wait = Math.min(Math.max(backoff(retry), asked), longestTimer);
      // If there is no time for another attempt, the reason is more useful than the deadline.
      if (asked > longestAsked || wait >= (scope.remainingMs() ?? Infinity)) throw error;
      let timer: ReturnType<typeof setTimeout> | undefined;
      // A call that is cancelled in the meantime must not keep the process alive.
      await scope
        .race(new Promise((resolve) => (timer = setTimeout(resolve, wait))))
        .finally(() => clearTimeout(timer));
    }
  }
};

/** Whether a refusal with this status is sent before anything runs, because the server has no room for the request now. */
export const isBusy = (status: unknown): boolean =>
  [429, 503, "UNAVAILABLE", "RESOURCE_EXHAUSTED"].includes(status as string);
/** A gateway's status, which does not reveal what happened behind the gateway. */
const gatewayFailure: readonly unknown[] = [502, 504];

const isSafe = ({ kind, status, mayHaveRun, message }: ClientError, idempotent: boolean): boolean => {
  if (kind === "refused")
    return (isBusy(status) && !isTooLarge(message)) || (idempotent && gatewayFailure.includes(status));
  return (kind === "unreachable" || kind === "lost") && (idempotent || !mayHaveRun);
};
