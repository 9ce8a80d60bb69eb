import { poissonGaps } from "@tritype/core";
import type { LoopContext } from "./closed-loop.ts";
import type { OpenLoad } from "./load.ts";
import type { Connection } from "./target.ts";

/** Resolves when every request that was due has its response. */
export const openLoop = async (
  { rate, seed, connections }: OpenLoad,
  { target, clock, recorder, next, end, signal, opened }: LoopContext,
): Promise<void> => {
  const free: Connection[] = [];
  const waiting: number[] = [];
  const running = new Set<Promise<void>>();
  let open = 0;

  const work = async (connection: Connection, first: number): Promise<void> => {
    let intended: number | undefined = first;
    while (intended !== undefined && !signal.aborted) {
      recorder.sent(intended, clock.now());
      const responded = recorder.responses(intended);
      const failure = await connection.send(next(), () => responded(clock.now()));
      recorder.answered(intended, clock.now(), failure);
      intended = waiting.shift();
    }
    free.push(connection);
  };
  const arrive = (intended: number): void => {
    recorder.due(intended);
    let connection = free.pop();
    if (connection === undefined && open < connections) {
      connection = target.open();
      opened(connection);
      open++;
    }
    if (connection === undefined) {
      waiting.push(intended);
      return;
    }
    const worked = work(connection, intended);
    running.add(worked);
    void worked.then(() => running.delete(worked));
  };

  const gap = poissonGaps(rate, seed);
  for (let due = clock.now() + gap() * 1000; due < end; due += gap() * 1000) {
    await clock.until(due, signal);
    if (signal.aborted) break;
    arrive(due);
  }
  await Promise.all(running);
};
