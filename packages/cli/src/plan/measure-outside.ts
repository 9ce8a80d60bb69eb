import { setTimeout as sleep } from "node:timers/promises";
import { meanOf, type NamedTensors } from "@tritype/core";
import type { Connection } from "@tritype/load-test";
import { type EnsembleCall, idleTime, type System, timeOf } from "@tritype/plan";
import type { ModelStatistics } from "@tritype/protocol";
import { cliError } from "../errors.ts";
import type { MeasuredServer } from "./measured-server.ts";
import { type MeasureOptions, openRound, rounds } from "./measure-options.ts";
import { type Done, doneBy, readCounted, readModel } from "./model-activity.ts";

/** Requests with a pause before each, in milliseconds. Times in microseconds. */
interface Outside {
  readonly pause: number;
  readonly outside: number[];
  readonly inModels: number[];
}

/** The time between requests to an idle server, in milliseconds. */
const gap = (2 * idleTime) / 1000;

/** The times of whole requests minus those of their models, in microseconds: without pauses between requests, and to an idle server. */
export const measureOutside = async (
  { server, model, seconds, onProgress }: MeasureOptions,
  calls: readonly EnsembleCall[],
  request: NamedTensors,
): Promise<{ readonly us: readonly number[]; readonly idle: readonly number[] }> => {
  onProgress(`measuring \`${model}\` as a whole`);
  const models = [...new Set(calls.map((call) => call.model))];
  const countOf = (name: string): number => calls.filter((call) => call.model === name).length;
  const readAll = async (read: (name: string) => Promise<Done>): Promise<ReadonlyMap<string, Done>> => {
    const done = new Map<string, Done>();
    for (const name of models) done.set(name, await read(name));
    return done;
  };
  const requestsOf = (done: ReadonlyMap<string, Done>, name: string): number => done.get(name)?.requests ?? 0;
  const start = await readAll((name) => readModel(server, name, 0));
  const connection = server.target(model, [request]).open();
  await sendOne(server, connection, 0);
  let before = await readAll((name) => readModel(server, name, requestsOf(start, name) + countOf(name)));
  // The local runtime skips steps on which no output depends; later requests cause as many calls as the first one.
  const caused = new Map(models.map((name) => [name, requestsOf(before, name) - requestsOf(start, name)]));
  const measure = async ({ pause, outside, inModels }: Outside): Promise<void> => {
    const goesOn = openRound(seconds);
    do {
      if (pause > 0) await sleep(pause);
      const began = performance.now();
      await sendOne(server, connection, 0);
      const whole = (performance.now() - began) * 1000;
      const wanted = (name: string): number => requestsOf(before, name) + (caused.get(name) ?? 0);
      const after = await readAll((name) => readCounted(server, name, wanted(name)));
      const inThis = longestPath(calls, (name) => {
        const [then, now] = [before.get(name), after.get(name)];
        if (then === undefined || now === undefined || now.requests === then.requests) return 0;
        return (now.queue + now.compute - then.queue - then.compute) / (now.requests - then.requests);
      });
      inModels.push(inThis);
      outside.push(Math.max(0, whole - inThis));
      before = after;
    } while (goesOn());
  };
  const busy: Outside = { pause: 0, outside: [], inModels: [] };
  const idle: Outside = { pause: gap, outside: [], inModels: [] };
  for (let round = 1; round <= rounds; round++) {
    await measure(busy);
    await measure(idle);
  }
  connection.close();
  // Models are slower, too, if the server was idle.
  const slower = Math.max(0, meanOf(idle.inModels) - meanOf(busy.inModels));
  return { us: busy.outside, idle: idle.outside.map((time) => time + slower) };
};

/** Concurrent requests while the processor time is measured: a single request would have to wake threads that are awake in a busy server. */
const inProgress = 32;

/**
 * The processor time that a request takes outside its models on a busy server, in microseconds: that of the server's own process minus
 * that of the executions in it. It is 0 if the server's processor time is unknown.
 */
export const measureProcessorOutside = async (
  { server, model, requests, seconds, onProgress }: MeasureOptions,
  { stations, steps }: Pick<System, "stations" | "steps">,
): Promise<number> => {
  if (server.processorTime() === undefined) return 0;
  onProgress(`measuring \`${model}\` with ${inProgress} requests at a time`);
  const target = server.target(model, requests);
  const connections = Array.from({ length: inProgress }, () => target.open());
  const load = async (): Promise<void> => {
    const end = performance.now() + seconds * 1000;
    let sent = 0;
    const client = async (connection: Connection): Promise<void> => {
      while (sent < 4 * inProgress || performance.now() < end)
        await sendOne(server, connection, sent++ % requests.length);
    };
    await Promise.all(connections.map(client));
  };
  // A warm-up: opens the connections, and V8 compiles the clients' code.
  await load();
  const before = await server.statistics();
  const start = server.processorTime()?.own ?? 0;
  await load();
  const used = (server.processorTime()?.own ?? start) - start;
  const after = await server.statistics();
  for (const connection of connections) connection.close();
  const requestsIn = (all: readonly ModelStatistics[]): number => doneBy(model, all).requests;
  const inModels = stations.reduce((sum, { model: name, threads }, index) => {
    const times = steps.find(({ station }) => station === index)?.times ?? [];
    if (times.flat().some(({ pause }) => pause !== undefined)) return sum;
    const meanAt = (rows: number): number => meanOf(times.map((one) => timeOf(one, rows, 0.5)));
    const done = executionsOf(name, before);
    const executions = [...executionsOf(name, after)].map(
      ([rows, count]) => (count - (done.get(rows) ?? 0)) * meanAt(rows),
    );
    return sum + threads * executions.reduce((all, one) => all + one, 0);
  }, 0);
  return Math.max(0, used - inModels) / Math.max(1, requestsIn(after) - requestsIn(before));
};

/** @throws PipelineError if the request fails */
const sendOne = async ({ name }: MeasuredServer, connection: Connection, request: number): Promise<void> => {
  const failure = await connection.send(request);
  if (failure !== undefined) throw cliError("plan/failed", { server: name, ...failure });
};

/** Maps numbers of rows to the number of executions so far. */
const executionsOf = (model: string, all: readonly ModelStatistics[]): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>();
  for (const { name, batch_stats: batches } of all)
    for (const { batch_size: rows, compute_infer: infer } of name === model ? batches : [])
      counts.set(rows, (counts.get(rows) ?? 0) + infer.count);
  return counts;
};

/** The time of the calls that a request waits for, one after the other. */
const longestPath = (calls: readonly EnsembleCall[], lengthOf: (model: string) => number): number => {
  const ends: number[] = [];
  for (const { model, after } of calls)
    ends.push(Math.max(0, ...after.map((before) => ends[before] ?? 0)) + lengthOf(model));
  return Math.max(0, ...ends);
};
