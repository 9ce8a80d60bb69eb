import { counted, joinRows, mapDefined, type NamedTensors, rowsOf, splitRows } from "@tritype/core";
import {
  type EnsembleCall,
  ensembleCalls,
  mergedShape,
  quantileAt,
  quantilesOf,
  stationOf,
  type System,
  type TimesAt,
} from "@tritype/plan";
import { measureOutside, measureProcessorOutside } from "./measure-outside.ts";
import type { MeasureOptions } from "./measure-options.ts";
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
  const measured: (readonly MeasuredCall[])[] = [];
  for (const request of requests) measured.push(await measureCalls(options, calls, request));
  const steps = calls.map((call, index) => ({
    station: stations.findIndex((one) => one.model === call.model),
    after: call.after,
    times: measured.map((all) => all[index]?.times ?? []),
    rows: measured.map((all) => all[index]?.rows ?? 1),
    shapes: measured.map((all) => all[index]?.shape ?? ""),
  }));
  const [us, idle]: [number[], number[]] = [[], []];
  for (const request of requests) {
    const outside = await measureOutside(options, calls, request);
    us.push(...outside.us);
    idle.push(...outside.idle);
  }
  const processor = await measureProcessorOutside(options, { stations, steps });
  const outside = { us: quantilesOf(us), processor, idle: quantilesOf(idle) };
  return { stations, steps, kinds, cores, outside };
};

interface MeasuredCall {
  readonly rows: number;
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
      rows: (config.max_batch_size ?? 0) > 0 ? rowsOf(inputs) : 1,
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
  if (maxBatchSize === 0) return [{ rows: 1, ...(await measureOne(options, call, inputs)) }];
  const rows = splitRows(inputs);
  const measured: TimesAt[] = [];
  for (const count of sizesTo(maxBatchSize, rows.length)) {
    options.onProgress(`measuring \`${call.model}\`: ${counted(count, "row")}`);
    const batch = joinRows(Array.from({ length: count }, (_, i) => rows[i % rows.length] as NamedTensors));
    const times = await measureOne(options, call, batch);
    measured.push({ rows: count, ...times });
    // Larger batches take proportionally more time.
    if (count >= rows.length && (times.us[0] ?? 0) > slowest) break;
  }
  return measured;
};

/** Microseconds. */
const slowest = 1_000_000;

/** The batch sizes 1, 2, 4 … up to the largest, and the number of rows in the request itself. */
const sizesTo = (largest: number, own: number): readonly number[] => {
  const powers = Array.from({ length: Math.floor(Math.log2(largest)) + 1 }, (_, i) => 2 ** i);
  return [...new Set([...powers, own, largest])].toSorted((a, b) => a - b);
};

const [warmRuns, fewestRuns, mostRuns] = [2, 5, 2000];

/** Execution times according to the server's statistics. */
const measureOne = async (
  { server, seconds, configs, cores }: MeasureOptions,
  call: EnsembleCall,
  inputs: NamedTensors,
): Promise<Omit<TimesAt, "rows">> => {
  const { threads } = stationOf(call.model, configs.get(call.model) ?? {}, cores);
  const { requests } = await readModel(server, call.model, 0);
  for (let i = 0; i < warmRuns; i++) await infer(server, call, inputs);
  const times: number[] = [];
  let before = await readCounted(server, call.model, requests + warmRuns);
  const start = server.processorTime()?.children ?? 0;
  const end = performance.now() + seconds * 1000;
  while (times.length < mostRuns && (times.length < fewestRuns || performance.now() < end)) {
    await infer(server, call, inputs);
    const after = await readCounted(server, call.model, before.requests + 1);
    times.push((after.compute - before.compute) / (after.requests - before.requests));
    before = after;
  }
  // Only models that run in processes of their own use the time of the server's children.
  const worked = ((server.processorTime()?.children ?? 0) - start) / times.length / Math.max(1, threads);
  const us = quantilesOf(times);
  return worked < leastShare * quantileAt(us, 0.5)
    ? { us }
    : { us, pause: Math.max(0, quantileAt(us, 0.5) - worked) };
};

/** A model whose executions use less of the time of the server's children runs in the server itself. */
const leastShare = 0.02;

const infer = (
  { endpoint }: MeasuredServer,
  { model, version }: EnsembleCall,
  inputs: NamedTensors,
): Promise<NamedTensors> => endpoint.infer(model, inputs, version);
