import { counted, joinRows, mapDefined, type NamedTensors, rowsOf, splitRows } from "@tritype/core";
import {
  type EnsembleCall,
  ensembleCalls,
  mergedShape,
  type Pace,
  quantileAt,
  quantilesOf,
  stationOf,
  type System,
  type TimesAt,
} from "@tritype/plan";
import { measureOutside, measureProcessorOutside } from "./measure-outside.ts";
import { type MeasureOptions, openRound, rounds } from "./measure-options.ts";
import type { MeasuredServer } from "./measured-server.ts";
import { readCounted, readModel } from "./model-activity.ts";

/**
 * Measures every model of an ensemble by itself, with batches of 1, 2, 4 … rows of each request, according to the server's own statistics,
 * and then the time that a request takes outside the models.
 * @throws PipelineError with the server's errors
 */
export const measureSystem = async (options: MeasureOptions): Promise<System> => {
  const { model, configs, requests, cores } = options;
  const calls = ensembleCalls(model, configs);
  const stations = [...new Set(calls.map((call) => call.model))].map((name) =>
    stationOf(name, configs.get(name) ?? {}, cores),
  );
  const maxBatchSize = configs.get(model)?.max_batch_size ?? 0;
  const kinds = requests.map((request) => (maxBatchSize > 0 ? rowsOf(request) : 1));
  const requested: (readonly RequestedCall[])[] = [];
  for (const request of requests) requested.push(await requestCalls(options, calls, request));
  const pace = await measureRounds(
    options,
    requested.flatMap((all) => all.flatMap(({ batches }) => batches)),
  );
  const steps = calls.map((call, index) => {
    const station = stations.findIndex((one) => one.model === call.model);
    const threads = stations[station]?.threads ?? 0;
    return {
      station,
      after: call.after,
      times: requested.map((all) => timesOf(all[index]?.batches ?? [], threads)),
      rows: requested.map((all) => all[index]?.rows ?? 1),
      shapes: requested.map((all) => all[index]?.shape ?? ""),
    };
  });
  const [us, idle]: [number[], number[]] = [[], []];
  for (const request of requests) {
    const outside = await measureOutside(options, calls, request);
    us.push(...outside.us);
    idle.push(...outside.idle);
  }
  const processor = await measureProcessorOutside(options, { stations, steps });
  const outside = { us: quantilesOf(us), processor, idle: quantilesOf(idle) };
  return { stations, steps, kinds, cores, outside, pace };
};

interface RequestedCall {
  readonly rows: number;
  readonly shape: string;
  readonly batches: readonly MeasuredBatch[];
}

/** Executions of a model with so many rows. */
interface MeasuredBatch {
  readonly call: EnsembleCall;
  readonly rows: number;
  /** The rows of the request itself: this many are measured, however long they take. */
  readonly own: number;
  /** Made for each round: all batches of all models may be larger than the memory. */
  readonly inputs: () => NamedTensors;
  /** Microseconds, in the order in which they were measured. */
  readonly times: number[];
  /** Microseconds of processor time that the server's children used during these executions. */
  worked: number;
}

/** Sends every call of one request, to find the tensors that each gets in the ensemble. */
const requestCalls = async (
  { configs, server }: MeasureOptions,
  calls: readonly EnsembleCall[],
  request: NamedTensors,
): Promise<readonly RequestedCall[]> => {
  const tensors = new Map(request);
  const requested: RequestedCall[] = [];
  for (const call of calls) {
    const { model, reads, writes } = call;
    const inputs = mapDefined(reads.keys(), (name) => tensors.get(reads.get(name) ?? ""));
    const config = configs.get(model) ?? {};
    const maxBatchSize = config.max_batch_size ?? 0;
    requested.push({
      rows: maxBatchSize > 0 ? rowsOf(inputs) : 1,
      shape: mergedShape(config, inputs),
      batches: batchesOf(call, maxBatchSize, inputs),
    });
    const before = await readModel(server, model, 0);
    const outputs = await infer(server, call, inputs);
    await readCounted(server, model, before.requests + 1);
    for (const [name, tensor] of writes) {
      const value = outputs.get(name);
      if (value !== undefined) tensors.set(tensor, value);
    }
  }
  return requested;
};

const batchesOf = (
  call: EnsembleCall,
  maxBatchSize: number,
  inputs: NamedTensors,
): readonly MeasuredBatch[] => {
  const batch = (count: number, own: number, make: () => NamedTensors): MeasuredBatch => ({
    call,
    rows: count,
    own,
    inputs: make,
    times: [],
    worked: 0,
  });
  if (maxBatchSize === 0) return [batch(1, 1, () => inputs)];
  const rows = splitRows(inputs);
  return sizesTo(maxBatchSize, rows.length).map((count) =>
    batch(count, rows.length, () =>
      joinRows(Array.from({ length: count }, (_, i) => rows[i % rows.length] as NamedTensors)),
    ),
  );
};

/** The batch sizes 1, 2, 4 … up to the largest, and the number of rows in the request itself. */
const sizesTo = (largest: number, own: number): readonly number[] => {
  const powers = Array.from({ length: Math.floor(Math.log2(largest)) + 1 }, (_, i) => 2 ** i);
  return [...new Set([...powers, own, largest])].toSorted((a, b) => a - b);
};

/** Microseconds. */
const slowest = 1_000_000;

/** Measures the batches in turn, each for a fifth of its time. @returns The machine's pace. */
const measureRounds = async (
  options: MeasureOptions,
  batches: readonly MeasuredBatch[],
): Promise<readonly Pace[]> => {
  const inRow: { readonly batch: MeasuredBatch; readonly times: readonly number[] }[] = [];
  for (let round = 1; round <= rounds; round++) {
    let before: MeasuredBatch | undefined;
    for (const batch of batches) {
      const { call, rows, own } = batch;
      // Larger batches take proportionally more time.
      const isSlow =
        before?.call === call &&
        before.rows < rows &&
        before.rows >= own &&
        Math.min(...before.times) >= slowest;
      before = batch;
      if (isSlow) continue;
      options.onProgress(`measuring \`${call.model}\`: ${counted(rows, "row")}, round ${round} of ${rounds}`);
      const known = batch.times.length;
      await measureBatch(options, batch);
      inRow.push({ batch, times: batch.times.slice(known) });
    }
  }
  const sorted = new Map(batches.map((batch) => [batch, batch.times.toSorted((a, b) => a - b)]));
  return inRow.map(({ batch, times }) => paceOf(times, sorted.get(batch) ?? []));
};

/** The pace of executions in a row. @param sorted The times of all such executions, the shortest first. */
const paceOf = (times: readonly number[], sorted: readonly number[]): Pace => {
  const last = Math.max(1, sorted.length - 1);
  const shareOf = (time: number): number => (sorted.indexOf(time) + sorted.lastIndexOf(time)) / 2 / last;
  return {
    us: Math.max(1, Math.round(quantileAt(sorted, 0.5))),
    shares: times.map((time) => Number(shareOf(time).toFixed(3))),
  };
};

const warmRuns = 2;

/** Execution times according to the server's statistics. */
const measureBatch = async ({ server, seconds }: MeasureOptions, batch: MeasuredBatch): Promise<void> => {
  const { call, times } = batch;
  const inputs = batch.inputs();
  const send = (): Promise<NamedTensors> => infer(server, call, inputs);
  const { requests } = await readModel(server, call.model, 0);
  const warm = times.length === 0 ? warmRuns : 0;
  for (let i = 0; i < warm; i++) await send();
  let before = await readCounted(server, call.model, requests + warm);
  const start = server.processorTime()?.children ?? 0;
  const goesOn = openRound(seconds);
  do {
    await send();
    const after = await readCounted(server, call.model, before.requests + 1);
    times.push((after.compute - before.compute) / (after.requests - before.requests));
    before = after;
  } while (goesOn());
  batch.worked += (server.processorTime()?.children ?? 0) - start;
};

/** The times of the batches that were measured. @param threads Processors that an execution uses, or 0. */
const timesOf = (batches: readonly MeasuredBatch[], threads: number): readonly TimesAt[] =>
  batches
    .filter(({ times }) => times.length > 0)
    .map(({ rows, times, worked }) => {
      const us = quantilesOf(times);
      // Only models that run in processes of their own use the time of the server's children.
      const work = worked / times.length / Math.max(1, threads);
      const typical = quantileAt(us, 0.5);
      return work < leastShare * typical ? { rows, us } : { rows, us, pause: Math.max(0, typical - work) };
    });

/** A model whose executions use less of the time of the server's children runs in the server itself. */
const leastShare = 0.02;

const infer = (
  { endpoint }: MeasuredServer,
  { model, version }: EnsembleCall,
  inputs: NamedTensors,
): Promise<NamedTensors> => endpoint.infer(model, inputs, version);
