import { decodeUtf8, PipelineError } from "@tritype/core";
import { inferRequestSteps, type Steps } from "@tritype/protocol";
import type { InferRequest } from "@tritype/runtime";
import type { HttpDoorRequest } from "@tritype/server";
import type { RunEvent, RunHead } from "./api.ts";
import { contentsOf } from "./contents.ts";
import { createRecorder } from "./record-request.ts";

/** A request of the page: a line of JSON about it, then a KServe v2 body. */
export interface PageRequest {
  readonly head: RunHead;
  readonly request: InferRequest;
}

/** @throws PipelineError As in Triton, for an invalid KServe v2 body. */
export function* pageRequestSteps(body: Uint8Array): Steps<PageRequest | undefined> {
  const end = body.indexOf(0x0a);
  const head = end < 0 ? undefined : readHead(decodeUtf8(body.subarray(0, end)));
  if (head === undefined) return undefined;
  const { model, headerLength } = head;
  const { request } = yield* inferRequestSteps({ model, headerLength, body: body.subarray(end + 1) });
  return { head, request };
}

const readHead = (text: string): RunHead | undefined => {
  try {
    const head = JSON.parse(text) as Partial<Record<keyof RunHead, unknown>> | null;
    const { model, headerLength, record } = head ?? {};
    if (typeof model !== "string" || typeof headerLength !== "number") return undefined;
    return { model, headerLength, record: record === true };
  } catch {
    return undefined;
  }
};

/** The events of a request as lines of JSON, as they happen. */
export async function* runPageRequest(
  { head, request }: PageRequest,
  askModel: HttpDoorRequest["askModel"],
  mayRecord: boolean,
  onInternalError: ((error: unknown) => void) | undefined,
): AsyncGenerator<string> {
  const recorder = createRecorder();
  const at = (): number => recorder.elapsed() / 1000;
  const line = (event: RunEvent): string => `${JSON.stringify(event)}\n`;
  const failed = (error: unknown): string => {
    if (!PipelineError.is(error)) onInternalError?.(error);
    const message = error instanceof Error ? error.message : String(error);
    const help = PipelineError.is(error) ? error.help : undefined;
    return line({ kind: "error", at: at(), message, ...(help === undefined ? {} : { help }) });
  };
  const records = head.record && mayRecord;
  try {
    for await (const { response, error } of askModel(request, records ? recorder.trace : undefined)) {
      if (error !== undefined) yield failed(error);
      else if (response !== undefined)
        yield line({ kind: "response", at: at(), outputs: contentsOf(response.outputs) });
    }
  } catch (error) {
    yield failed(error);
  }
  yield line({ kind: "end", at: at() });
  if (records) yield line({ kind: "recording", recording: recorder.recording() });
}
