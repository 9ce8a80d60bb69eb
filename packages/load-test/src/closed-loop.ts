import type { Clock } from "./clock.ts";
import type { Recorder } from "./recorder.ts";
import type { Connection, Target } from "./target.ts";

/** Options of both loops. */
export interface LoopContext {
  readonly target: Target;
  readonly clock: Clock;
  readonly recorder: Recorder;
  /** The number of the next request. */
  readonly next: () => number;
  /** Nothing is sent after this time. */
  readonly end: number;
  /** Nothing is sent once it is aborted. */
  readonly signal: AbortSignal;
  /** Called with every opened connection, so that it can be closed at the end of the load. */
  readonly opened: (connection: Connection) => void;
}

/** Resolves when every client has the response to its last request. */
export const closedLoop = async (clients: number, context: LoopContext): Promise<void> => {
  await Promise.all(Array.from({ length: clients }, () => client(context)));
};

const client = async ({ target, clock, recorder, next, end, signal, opened }: LoopContext): Promise<void> => {
  const connection = target.open();
  opened(connection);
  let lost = 0;
  while (clock.now() < end && !signal.aborted) {
    const sent = clock.now();
    recorder.due(sent);
    recorder.sent(sent, sent);
    const responded = recorder.responses(sent);
    const failure = await connection.send(next(), () => responded(clock.now()));
    const now = clock.now();
    recorder.answered(sent, now, failure);
    lost = failure?.lost === true ? lost + 1 : 0;
    if (lost > 0) await clock.until(Math.min(end, now + pause(lost)), signal);
  }
};

/** Connecting to an unreachable server is tried 10 times in the first few seconds, and then once per second. */
const pause = (lost: number): number => Math.min(1000, 50 * 2 ** Math.min(lost, 6));
