import type { PipelineError } from "@tritype/core";
import { type Asker, type ComputeTimes, hasFailed, type ModelRequest, wasRefused } from "../backend.ts";
import { isEnsemble } from "../ensemble/ensemble-plan.ts";
import type { InferRequest, InferResponse, Parameters } from "../runtime.ts";
import { systemClock } from "../scheduling/clock.ts";
import { findVersion, type ModelTable, type ReadyVersion } from "./model-table.ts";
import { runtimeError } from "../errors.ts";

/** A response, and the durations of the parts of its execution. */
export interface Answered {
  readonly response: InferResponse;
  readonly times?: ComputeTimes;
}

/**
 * Checks one request to a model of the table; the returned function queues and runs it.
 * @throws PipelineError as `Runtime.infer` for an invalid request.
 */
export const admitRequest = (
  table: ModelTable,
  request: InferRequest,
  asker: Asker = {},
): (() => Promise<Answered>) => {
  const ready = findVersion(table, request.model, request.version);
  if (isDecoupled(ready)) throw runtimeError("request/decoupled", { model: ready.model });
  if (ready.loaded.waitsForItself?.(asker.callers ?? []) === true) throw waitsForItself(ready.model);
  const started = systemClock.now();
  const checked = ready.check(request);
  return () => runRequest(ready, request, { ...checked, ...asker }, started);
};

/**
 * One request to a model of the table. It is in the model's queue before this returns, so later changes by the table's
 * owner do not affect it.
 * @throws PipelineError as `Runtime.infer`.
 */
export const answerRequest = async (
  table: ModelTable,
  request: InferRequest,
  asker: Asker = {},
): Promise<Answered> => admitRequest(table, request, asker)();

const runRequest = async (
  ready: ReadyVersion,
  request: InferRequest,
  checked: ModelRequest,
  started: number,
): Promise<Answered> => {
  const result = await ready.scheduler.infer(checked);
  if (!wasRefused(result)) ready.statistics.answered(systemClock.now() - started, hasFailed(result));
  if ("error" in result) throw result.error;
  const response = {
    model: ready.model,
    version: ready.version,
    id: request.id,
    outputs: ready.respond(result.outputs, checked.outputs, request.classes),
    ...(isEnsemble(ready.config) ? { parameters: sequenceOf(checked.parameters) } : {}),
  };
  return result.times === undefined ? { response } : { response, times: result.times };
};

export const isDecoupled = ({ config }: ReadyVersion): boolean =>
  config.model_transaction_policy?.decoupled === true;

const waitsForItself = (model: string): PipelineError => runtimeError("python/waits-for-itself", { model });

/**
 * Triton adds these to every response of an ensemble: the request's sequence parameters are returned, the sequence
 * number as an int64.
 */
const sequenceOf = ({
  sequence_id = 0,
  sequence_start = false,
  sequence_end = false,
}: Parameters): Parameters => ({
  sequence_id: typeof sequence_id === "bigint" ? BigInt.asIntN(64, sequence_id) : sequence_id,
  sequence_start,
  sequence_end,
});
