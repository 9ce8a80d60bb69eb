import { type ErrorCode, type NamedTensors, PipelineError } from "@tritype/core";
import type { Endpoint } from "@tritype/endpoint";
import { different, type TensorComparison } from "@tritype/inspector/shared";
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

/**
 * Sends a request and compares the response with that of the local native run; if that response is an error, the same error is expected.
 */
export const compareAnswer = async (
  endpoint: Endpoint,
  model: string,
  inputs: NamedTensors,
  native: NamedTensors | string,
  tolerance: number,
): Promise<readonly TensorComparison[]> => {
  let answer: NamedTensors;
  try {
    answer = await endpoint.infer(model, inputs);
  } catch (error) {
    if (!PipelineError.is(error) || error.code === "server/unreachable") throw error;
    return typeof native === "string"
      ? [compareErrors(error.message, native)]
      : [...native.keys()].map((name) => different(name, `no answer: ${error.message}`));
  }
  return typeof native === "string"
    ? [different("(error)", `it answers, but local native fails: ${native}`)]
    : compareAnswers(answer, native, tolerance);
};

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
