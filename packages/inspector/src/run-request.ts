import { messageOf, PipelineError, parseObject } from "@tritype/core";
import { inferRequestSteps, type Steps } from "@tritype/protocol";
import { abortSignalOf, type InferRequest } from "@tritype/runtime";
import type { HttpApiRequest } from "@tritype/server";
import type { RunEvent, RunHead } from "./api.ts";
import { contentsOf, picturesIn, shownContentOf } from "./contents.ts";
import { isLost, type StepwiseServer } from "./inspected.ts";
import { createRecorder, showRecording } from "./record-request.ts";

/** A request of the page: a line of JSON about it, then a KServe v2 body. */
export interface PageRequest {
  readonly head: RunHead;
  readonly request: InferRequest;
}

/** Bytes of the line about a request, which is parsed in one go. */
const longestHead = 10_000;

/** @throws PipelineError As in Triton, for an invalid KServe v2 body. */
export function* pageRequestSteps(body: Uint8Array): Steps<PageRequest | undefined> {
  const end = body.indexOf(0x0a);
  const head = end < 0 || end > longestHead ? undefined : readHead(body.subarray(0, end));
  if (head === undefined) return undefined;
  const { model, headerLength } = head;
  const { request } = yield* inferRequestSteps({ model, headerLength, body: body.subarray(end + 1) });
  return { head, request };
}

const readHead = (line: Uint8Array): RunHead | undefined => {
  const head = (parseObject(line) ?? {}) as Partial<Record<keyof RunHead, unknown>>;
  const { model, headerLength, record, other } = head;
  if (typeof model !== "string" || typeof headerLength !== "number") return undefined;
  return { model, headerLength, record: record === true, other: other === true };
};

/** The events of a request as lines of JSON, as they happen. */
export async function* runPageRequest(
  { head, request }: PageRequest,
  { askModel, onInternalError }: Caller,
  mayRecord: boolean,
  isFirst?: (model: string, version: string) => boolean,
): AsyncGenerator<string> {
  yield* picturesOf(request);
  const recorder = createRecorder({}, undefined, isFirst);
  const at = (): number => recorder.elapsed() / 1000;
  const records = head.record && mayRecord;
  try {
    for await (const { response, error } of askModel(request, records ? recorder.trace : undefined)) {
      if (error !== undefined) yield line(errorAt(at(), error, onInternalError));
      else if (response !== undefined)
        yield line({ kind: "response", at: at(), outputs: contentsOf(response.outputs) });
    }
  } catch (error) {
    yield line(errorAt(at(), error, onInternalError));
  }
  yield line({ kind: "end", at: at() });
  if (!records) return;
  await recorder.settled();
  yield line({ kind: "recording", recording: recorder.recording(shownContentOf) });
}

/** The same for a server to which the request is sent step by step. If it does not answer, there is no recording. */
export async function* runStepwise(
  request: InferRequest,
  { signal, onInternalError }: Caller,
  server: StepwiseServer,
): AsyncGenerator<string> {
  yield* picturesOf(request);
  const began = performance.now();
  const recorded = await server.record(request, abortSignalOf(signal));
  const at = performance.now() - began;
  const recording = showRecording(recorded.recording, shownContentOf);
  for (const outputs of recording.calls[0]?.responses ?? []) yield line({ kind: "response", at, outputs });
  if (recorded.failure !== undefined) yield line(errorAt(at, recorded.failure, onInternalError));
  yield line({ kind: "end", at });
  if (recorded.failure === undefined || !isLost(recorded.failure))
    yield line({ kind: "recording", recording });
}

function* picturesOf({ inputs }: InferRequest): Generator<string> {
  const pictures = picturesIn(inputs);
  if (pictures.length > 0) yield line({ kind: "request", inputs: pictures });
}

type Caller = Pick<HttpApiRequest, "askModel" | "signal" | "onInternalError">;

const line = (event: RunEvent): string => `${JSON.stringify(event)}\n`;

const errorAt = (at: number, error: unknown, onInternalError: Caller["onInternalError"]): RunEvent => {
  if (!PipelineError.is(error)) onInternalError?.(error);
  const message = messageOf(error);
  const help = PipelineError.is(error) ? error.help : undefined;
  return { kind: "error", at, message, ...(help === undefined ? {} : { help }) };
};
