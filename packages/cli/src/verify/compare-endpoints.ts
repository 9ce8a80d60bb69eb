import { type ErrorCode, type NamedTensors, PipelineError } from "@tritype/core";
import type { Endpoint, ListenedEndpoint } from "@tritype/endpoint";
import type { MemberCall } from "@tritype/project";
import { different, type TensorComparison } from "@tritype/inspector/view";
import { compareAnswers } from "./compare-tensors.ts";

/** The response of an endpoint, or the model's error message. */
export const answerOf = async (
  endpoint: Endpoint,
  model: string,
  inputs: NamedTensors,
  version?: string,
): Promise<NamedTensors | string> => {
  try {
    return await endpoint.infer(model, inputs, version);
  } catch (error) {
    if (PipelineError.is(error) && answers.has(error.code)) return error.message;
    throw error;
  }
};

/** Codes of errors that are a model's response to its request. */
const answers: ReadonlySet<ErrorCode> = new Set([
  "request/invalid",
  "request/unsupported",
  "model/failed",
  "model/unknown-error",
]);

/** The response of the local native run, and the requests that its models' code made to other models. */
interface NativeAnswer {
  readonly native: NamedTensors | string;
  readonly calls: readonly MemberCall[];
  readonly local: ListenedEndpoint;
}

export const nativeAnswer = async (
  local: ListenedEndpoint,
  { model, inputs, version }: MemberCall,
): Promise<NativeAnswer> => {
  local.takeModelCalls();
  const native = await answerOf(local, model, inputs, version);
  return { native, calls: local.takeModelCalls(), local };
};

/**
 * Sends a request and compares the response with that of the local native run; if that response is an error, the same error is expected.
 * Only parallel calls of a flow may fail in a different order, if each of its calls has the same response in both runs.
 */
export const compareAnswer = async (
  endpoint: Endpoint,
  { model, inputs, version }: MemberCall,
  { native, calls, local }: NativeAnswer,
  tolerance: number,
): Promise<readonly TensorComparison[]> => {
  let answer: NamedTensors;
  try {
    answer = await endpoint.infer(model, inputs, version);
  } catch (error) {
    if (!PipelineError.is(error) || error.code === "server/unreachable") throw error;
    if (typeof native !== "string")
      return [...native.keys()].map((name) => different(name, `no answer: ${error.message}`));
    const compared = compareErrors(error.message, native);
    const failed = failedCall(native);
    if (compared.ok || failed === undefined || failed !== failedCall(error.message)) return [compared];
    for (const call of calls) {
      const wanted = await nativeAnswer(local, call);
      const each = await compareAnswer(endpoint, call, wanted, tolerance);
      if (!each.every(({ ok }) => ok)) return [compared];
    }
    return [compareErrors(native, native)];
  }
  return typeof native === "string"
    ? [different("(error)", `it answers, but local native fails: ${native}`)]
    : compareAnswers(answer, native, tolerance);
};

/** The flow and the row in the message of a failed call. */
const failedCall = (text: string): string | undefined => /^.*?: row \d+: CallError: /.exec(text)?.[0];

/** Compares the first lines of two servers' error messages. */
export const compareErrors = (text: string, native: string): TensorComparison =>
  firstLine(text) === firstLine(native)
    ? { name: "(error)", ok: true, maxAbsolute: 0, maxRelative: 0, problem: undefined }
    : different("(error)", `${text}, but local native says: ${native}`);

/**
 * The rest of the message is Python's stack trace, with paths on the respective server. Addresses of objects differ in every process,
 * and Triton's backends add ONNX Runtime's code in different ways.
 */
const firstLine = (text: string): string =>
  (text.split("\n", 1)[0] ?? "")
    .replaceAll(/\b0x[\da-f]{4,}\b/g, "0x…")
    .replace(/\b(onnx runtime error)(?: \d+)?: (?:\[ONNXRuntimeError\] : \d+ : \w+ : )?/, "$1: ");
