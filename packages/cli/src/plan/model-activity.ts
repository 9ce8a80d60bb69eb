import { setTimeout as wait } from "node:timers/promises";
import type { ModelStatistics } from "@tritype/protocol";
import { cliError } from "../errors.ts";
import type { MeasuredServer } from "./measured-server.ts";

/** The activity of a model so far: successful requests, and microseconds in the queue and in executions. */
export interface Done {
  readonly requests: number;
  readonly queue: number;
  readonly compute: number;
}

/**
 * Polls the statistics until they contain this many requests, for at most about a second: Triton counts a request after it has
 * answered.
 */
export const readModel = async (server: MeasuredServer, model: string, requests: number): Promise<Done> => {
  for (let tries = 0; ; tries++) {
    const done = doneBy(model, await server.statistics());
    if (done.requests >= requests || tries > 1000) return done;
    await wait(1);
  }
};

/** @throws PipelineError `request/unsupported` if the statistics never contain this many requests */
export const readCounted = async (server: MeasuredServer, model: string, requests: number): Promise<Done> => {
  const done = await readModel(server, model, requests);
  if (done.requests < requests) throw cliError("plan/not-counted", { server: server.name, model });
  return done;
};

export const doneBy = (model: string, all: readonly ModelStatistics[]): Done => {
  const own = all.filter(({ name }) => name === model).map(({ inference_stats }) => inference_stats);
  const sum = (of: (one: ModelStatistics["inference_stats"]) => number): number =>
    own.reduce((total, one) => total + of(one), 0);
  return {
    requests: sum(({ success }) => success.count),
    queue: sum(({ queue }) => queue.ns / 1000),
    compute: sum((one) => (one.compute_input.ns + one.compute_infer.ns + one.compute_output.ns) / 1000),
  };
};
