import { setTimeout as wait } from "node:timers/promises";
import { joinRows, mapDefined, type NamedTensors, rowsOf, splitRows } from "@tritype/core";
import {
  type EnsembleCall,
  ensembleCalls,
  mergedShape,
  quantilesOf,
  stationOf,
  type System,
  type TimesAt,
} from "@tritype/plan";
import type { ModelStatistics } from "@tritype/protocol";
import type { ModelConfig } from "@tritype/triton";
import { cliError } from "../errors.ts";
import type { MeasuredServer } from "./measured-server.ts";

export interface MeasureOptions {
  readonly server: MeasuredServer;
  readonly model: string;
  /** The configurations of the model and all its members. */
  readonly configs: ReadonlyMap<string, ModelConfig>;
  /** One request of each kind. */
  readonly requests: readonly NamedTensors[];
  readonly cores: number;
  /** How long each number of rows is measured. */
  readonly seconds: number;
  readonly onProgress: (text: string) => void;
}

/**
 * Measures every model of an ensemble by itself, with batches of 1, 2, 4 … rows of each request, by the server's own
 * statistics; then the time that a request takes outside the models.
 * @throws PipelineError `request/unsupported` for models that are not simulated, and the server's errors
 */
export const measureSystem = async (options: MeasureOptions): Promise<System> => {
  const { model, configs, requests, cores } = options;
  refuseOthers(configs);
  const calls = ensembleCalls(model, configs);
  const stations = [...new Set(calls.map((call) => call.model))].map((name) =>
    stationOf(name, configs.get(name) ?? {}, cores),
  );
  const maxBatchSize = configs.get(model)?.max_batch_size ?? 0;
  const kinds = requests.map((request) => (maxBatchSize > 0 ? rowsOf(request) : 1));
  const measured: (readonly MeasuredCall[])[] = [];
  for (const request of requests) measured.push(await measureCalls(options, calls, request));
  const outside: number[] = [];
  for (const request of requests) outside.push(...(await measureOutside(options, calls, request)));
  return {
    stations,
    steps: calls.map((call, index) => ({
      station: stations.findIndex((one) => one.model === call.model),
      after: call.after,
      times: measured.map((steps) => steps[index]?.times ?? []),
      shapes: measured.map((steps) => steps[index]?.shape ?? ""),
    })),
    kinds,
    cores,
    outside: quantilesOf(outside),
  };
};

const refuseOthers = (configs: ReadonlyMap<string, ModelConfig>): void => {
  for (const [model, { sequence_batching, model_transaction_policy: policy }] of configs) {
    const what =
      sequence_batching !== undefined ? "sequences" : policy?.decoupled === true ? "streams" : undefined;
    if (what !== undefined) throw cliError("plan/not-simulated", { model, what });
  }
};

interface MeasuredCall {
  readonly shape: string;
  readonly times: readonly TimesAt[];
}

/** Every call for one request, with the tensors that it gets in the ensemble. */
const measureCalls = async (
  options: MeasureOptions,
  calls: readonly EnsembleCall[],
  request: NamedTensors,
): Promise<readonly MeasuredCall[]> => {
  const { configs, server } = options;
  const tensors = new Map(request);
  const measured: MeasuredCall[] = [];
  for (const call of calls) {
    const { model, reads, writes } = call;
    const inputs = mapDefined(reads.keys(), (name) => tensors.get(reads.get(name) ?? ""));
    const config = configs.get(model) ?? {};
    measured.push({
      shape: mergedShape(config, inputs),
      times: await measureRows(options, call, config.max_batch_size ?? 0, inputs),
    });
    const before = await readModel(server, model, 0);
    const outputs = await infer(server, call, inputs);
    await readCounted(server, model, before.requests + 1);
    for (const [name, tensor] of writes) {
      const value = outputs.get(name);
      if (value !== undefined) tensors.set(tensor, value);
    }
  }
  return measured;
};

const measureRows = async (
  options: MeasureOptions,
  call: EnsembleCall,
  maxBatchSize: number,
  inputs: NamedTensors,
): Promise<readonly TimesAt[]> => {
  if (maxBatchSize === 0) return [{ rows: 1, us: await measureOne(options, call, inputs) }];
  const rows = splitRows(inputs);
  const measured: TimesAt[] = [];
  for (const count of sizesTo(maxBatchSize, rows.length)) {
    options.onProgress(`measuring \`${call.model}\`: ${count} ${count === 1 ? "row" : "rows"}`);
    const batch = joinRows(Array.from({ length: count }, (_, i) => rows[i % rows.length] as NamedTensors));
    const us = await measureOne(options, call, batch);
    measured.push({ rows: count, us });
    // Larger batches take time in proportion.
    if (count >= rows.length && (us[0] ?? 0) > slowest) break;
  }
  return measured;
};

/** Microseconds. */
const slowest = 1_000_000;

/** 1, 2, 4 … to the largest, and the rows of the request itself. */
const sizesTo = (largest: number, own: number): readonly number[] => {
  const powers = Array.from({ length: Math.floor(Math.log2(largest)) + 1 }, (_, i) => 2 ** i);
  return [...new Set([...powers, own, largest])].toSorted((a, b) => a - b);
};

const [warmRuns, fewestRuns, mostRuns] = [2, 5, 200];

/** Times of executions, by the server's statistics, as quantiles. */
const measureOne = async (
  { server, seconds }: MeasureOptions,
  call: EnsembleCall,
  inputs: NamedTensors,
): Promise<readonly number[]> => {
  const { requests } = await readModel(server, call.model, 0);
  for (let i = 0; i < warmRuns; i++) await infer(server, call, inputs);
  const times: number[] = [];
  let before = await readCounted(server, call.model, requests + warmRuns);
  const end = performance.now() + seconds * 1000;
  while (times.length < mostRuns && (times.length < fewestRuns || performance.now() < end)) {
    await infer(server, call, inputs);
    const after = await readCounted(server, call.model, before.requests + 1);
    times.push((after.compute - before.compute) / (after.requests - before.requests));
    before = after;
  }
  return quantilesOf(times);
};

const infer = (
  { endpoint }: MeasuredServer,
  { model, version }: EnsembleCall,
  inputs: NamedTensors,
): Promise<NamedTensors> => endpoint.infer(model, inputs, version);

/** The activity of a model so far: successful requests, and microseconds in the queue and in executions. */
interface Done {
  readonly requests: number;
  readonly queue: number;
  readonly compute: number;
}

/**
 * Reads the statistics until this many requests are in them, for about a second: Triton counts a request after it has
 * answered.
 */
const readModel = async (server: MeasuredServer, model: string, requests: number): Promise<Done> => {
  for (let tries = 0; ; tries++) {
    const done = doneBy(model, await server.statistics());
    if (done.requests >= requests || tries > 1000) return done;
    await wait(1);
  }
};

/** @throws PipelineError `request/unsupported` if the statistics never contain this many requests */
const readCounted = async (server: MeasuredServer, model: string, requests: number): Promise<Done> => {
  const done = await readModel(server, model, requests);
  if (done.requests < requests) throw cliError("plan/not-counted", { server: server.name, model });
  return done;
};

const doneBy = (model: string, all: readonly ModelStatistics[]): Done => {
  const own = all.filter(({ name }) => name === model).map(({ inference_stats }) => inference_stats);
  const sum = (of: (one: ModelStatistics["inference_stats"]) => number): number =>
    own.reduce((total, one) => total + of(one), 0);
  return {
    requests: sum(({ success }) => success.count),
    queue: sum(({ queue }) => queue.ns / 1000),
    compute: sum((one) => (one.compute_input.ns + one.compute_infer.ns + one.compute_output.ns) / 1000),
  };
};

/** The times of whole requests, less those of their models: in microseconds. */
const measureOutside = async (
  { server, model, seconds, onProgress }: MeasureOptions,
  calls: readonly EnsembleCall[],
  request: NamedTensors,
): Promise<readonly number[]> => {
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
  await server.endpoint.infer(model, request);
  let before = await readAll((name) => readModel(server, name, requestsOf(start, name) + countOf(name)));
  // The local runtime skips steps that no output depends on: later requests cause as many calls as the first one.
  const caused = new Map(models.map((name) => [name, requestsOf(before, name) - requestsOf(start, name)]));
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (times.length < mostRuns && (times.length < fewestRuns || performance.now() < end)) {
    const began = performance.now();
    await server.endpoint.infer(model, request);
    const whole = (performance.now() - began) * 1000;
    const wanted = (name: string): number => requestsOf(before, name) + (caused.get(name) ?? 0);
    const after = await readAll((name) => readCounted(server, name, wanted(name)));
    const inModels = longestPath(calls, (name) => {
      const [then, now] = [before.get(name), after.get(name)];
      if (then === undefined || now === undefined || now.requests === then.requests) return 0;
      return (now.queue + now.compute - then.queue - then.compute) / (now.requests - then.requests);
    });
    times.push(Math.max(0, whole - inModels));
    before = after;
  }
  return times;
};

/** The time of the calls that a request waits for, one after the other. */
const longestPath = (calls: readonly EnsembleCall[], timeOf: (model: string) => number): number => {
  const ends: number[] = [];
  for (const { model, after } of calls)
    ends.push(Math.max(0, ...after.map((before) => ends[before] ?? 0)) + timeOf(model));
  return Math.max(0, ...ends);
};
