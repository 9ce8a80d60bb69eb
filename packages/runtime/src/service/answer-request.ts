import { type NamedTensors, PipelineError } from "@tritype/core";
import { isDecoupled } from "@tritype/triton";
import {
  type Afterwards,
  type Asker,
  type ComputeTimes,
  failureCount,
  hasWaited,
  type ModelRequest,
  type ModelResult,
  secondAnswer,
  wasRefused,
} from "../backend.ts";
import { isEnsemble } from "../ensemble/ensemble-plan.ts";
import type { InferRequest, InferResponse, Parameters, StreamedMessage } from "../runtime.ts";
import { Cancellation, onceAborted } from "../scheduling/cancellation.ts";
import { systemClock } from "../scheduling/clock.ts";
import { createMessageQueue, type MessageQueue, type QueuedMessage } from "../streaming/message-queue.ts";
import { findVersion, type ModelTable, type ReadyVersion } from "./model-table.ts";
import type { RequestTrace } from "../tracing/request-trace.ts";
import { runtimeError } from "../errors.ts";
import { failureAt } from "../failure-at.ts";

type Answer = Extract<ModelResult, { readonly outputs: NamedTensors }>;

/** A response, and the durations of the parts of its execution. */
export interface Answered {
  readonly response: InferResponse;
  readonly times: ComputeTimes | undefined;
  readonly afterwards: Afterwards | undefined;
}

/**
 * Checks one request to a model of the table; the returned function queues and runs it, and calls `accepted` unless its
 * scheduler refuses it.
 * @throws PipelineError as `Runtime.infer` for an invalid request.
 */
export const admitRequest = (
  table: ModelTable,
  request: InferRequest,
  asker: Asker = {},
): ((accepted?: () => void) => Promise<Answered>) => {
  const ready = findVersion(table, request.model, request.version);
  if (isDecoupled(ready.config)) throw runtimeError("request/decoupled", { model: ready.model });
  const { started, checked } = checkRequest(ready, request, asker);
  return (accepted) => runRequest(ready, request, checked, started, accepted);
};

/**
 * Like `admitRequest`, but for a model of any kind. The returned function yields its messages; the request is cancelled
 * when the reader stops.
 * @param onEnd Called when the final message has arrived, or the reader has stopped.
 * @throws PipelineError as `admitRequest` does.
 */
export const admitStream = (
  table: ModelTable,
  request: InferRequest,
  asker: Asker = {},
  onEnd: () => void = () => {},
): (() => MessageQueue) => {
  const ready = findVersion(table, request.model, request.version);
  const { started, checked } = checkRequest(ready, request, asker);
  return () => {
    const signal = new Cancellation();
    const stopListening = onceAborted(asker.signal, () => signal.abort());
    const messages = createMessageQueue((left) => {
      stopListening();
      if (left) signal.abort();
      onEnd();
    });
    const cancellable = { ...checked, signal };
    void (ready.loaded.streams === true
      ? streamRequest(ready, request, cancellable, started, messages.push)
      : runModel(ready, cancellable, started).then(
          (result) => {
            for (const message of messagesOf(ready, request, cancellable, result)) messages.push(message);
          },
          (error: unknown) => messages.push({ error: failureOf(error), final: true }),
        ));
    return messages;
  };
};

const checkRequest = (
  ready: ReadyVersion,
  request: InferRequest,
  asker: Asker,
): { readonly started: number; readonly checked: ModelRequest } => {
  const { callers = [] } = ready.loaded;
  if (callers.length > 0 && callers.every((one) => asker.callers?.includes(one)))
    throw runtimeError("python/waits-for-itself", { model: ready.model });
  const started = systemClock.now();
  return { started, checked: acceptedBy(ready, request, asker) };
};

const acceptedBy = (ready: ReadyVersion, request: InferRequest, asker: Asker): ModelRequest => {
  const { trace } = asker;
  if (trace === undefined) return ready.check(request, asker);
  try {
    const checked = ready.check(request, asker);
    trace.accepted({ model: ready.model, version: ready.version, id: request.id, inputs: request.inputs });
    return checked;
  } catch (error) {
    trace.refused();
    throw error;
  }
};

const responseIn = (result: ModelResult): NamedTensors | "error" =>
  "outputs" in result ? result.outputs : "error";

/** The end of a traced request: its response, unless it was sent earlier, and its part in an execution. */
const traceEnd = (trace: RequestTrace | undefined, result: ModelResult, responds: boolean): void => {
  if (trace === undefined) return;
  const waited = hasWaited(result);
  if ("cached" in result && result.cached) trace.foundInCache?.();
  if (waited && responds) trace.responded(responseIn(result));
  if (result.moments !== undefined) trace.computed(result.moments, false);
  trace.ended(waited);
};

/**
 * One request to a model in the table. It is in the model's queue before this returns, so later changes by the table's
 * owner do not affect it.
 * @throws PipelineError as `Runtime.infer` does.
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
  accepted: (() => void) | undefined,
): Promise<Answered> => {
  const result = await runModel(ready, checked, started);
  if (!wasRefused(result)) accepted?.();
  if ("error" in result)
    throw secondAnswer(result.afterwards) ? answeredTwice(ready.model, result.error) : result.error;
  const response = respond(ready, request, checked, result);
  const { times, afterwards } = result;
  return { response, times, afterwards };
};

/** The response of a model that must answer once. @throws PipelineError `model/failed` if an error followed it. */
export const onlyResponse = ({ response, afterwards }: Answered): InferResponse => {
  const second = secondAnswer(afterwards);
  if (second !== undefined) throw answeredTwice(response.model, second);
  return response;
};

const answeredTwice = (model: string, cause: PipelineError): PipelineError =>
  runtimeError("model/answered-twice", { model, why: cause.message }, { cause });

/** The error of a step's model for its ensemble. */
export const firstError = (error: unknown): unknown =>
  PipelineError.is(error) && error.reason === "model/answered-twice" ? error.cause : error;

const runModel = async (
  ready: ReadyVersion,
  checked: ModelRequest,
  started: number,
): Promise<ModelResult> => {
  const result = await ready.scheduler.infer(checked);
  traceEnd(checked.trace, result, checked.reply === undefined);
  if (!wasRefused(result)) ready.statistics.answered(systemClock.now() - started, failureCount(result));
  return result;
};

const messageOf = (
  ready: ReadyVersion,
  request: InferRequest,
  checked: ModelRequest,
  result: ModelResult | undefined,
): Omit<StreamedMessage, "final"> => {
  if (result === undefined) return {};
  if ("error" in result)
    return wasRefused(result) ? { error: result.error, refused: result.error } : { error: result.error };
  try {
    return { response: respond(ready, request, checked, result) };
  } catch (error) {
    return { error: failureOf(error) };
  }
};

/** The messages of a model that is not decoupled: one, unless it breaks that rule. */
const messagesOf = (
  ready: ReadyVersion,
  request: InferRequest,
  checked: ModelRequest,
  result: ModelResult,
): readonly StreamedMessage[] => {
  const { afterwards } = result;
  const first = messageOf(ready, request, checked, result);
  if (afterwards === undefined || afterwards.final) return [{ ...first, final: true }];
  const { error } = afterwards;
  return [
    { ...first, final: false },
    { ...(error && { error }), final: true },
  ];
};

const respond = (
  ready: ReadyVersion,
  request: InferRequest,
  checked: ModelRequest,
  { outputs, cached }: Answer,
): InferResponse => ({
  model: ready.model,
  version: ready.version,
  id: request.id,
  outputs: ready.respond(outputs, cached === true ? [...outputs.keys()] : checked.outputs, request.classes),
  parameters:
    isEnsemble(ready.config) && cached !== true && outputs.size > 0
      ? sequenceOf(checked.parameters)
      : undefined,
});

/**
 * Passes everything that a decoupled model sends to `push`. In all cases, the last message is the only one marked as
 * final.
 */
const streamRequest = async (
  ready: ReadyVersion,
  request: InferRequest,
  checked: ModelRequest,
  started: number,
  push: (message: QueuedMessage) => void,
): Promise<void> => {
  let open = true;
  const reply: ModelRequest["reply"] = ({ result, final, taken }) => {
    if (!open) return;
    checked.trace?.responded(result === undefined ? "end" : responseIn(result));
    push({ ...messageOf(ready, request, checked, result), final, taken });
    if (!final) return;
    open = false;
    ready.streams.remove();
  };
  ready.streams.add();
  const result = await runModel(ready, { ...checked, reply }, started);
  if ("error" in result) reply({ result, final: true });
};

const failureOf = (error: unknown): PipelineError => (PipelineError.is(error) ? error : failureAt("", error));

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
