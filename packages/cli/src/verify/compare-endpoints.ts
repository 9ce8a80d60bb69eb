import { type ErrorCode, type NamedTensors, PipelineError } from "@tritype/core";
import type { Endpoint } from "@tritype/endpoint";
import { compareAnswers, different, type TensorComparison } from "./compare-tensors.ts";

/** What an endpoint answers, or the text of the error with which a model answers. */
export const answerOf = async (
  endpoint: Endpoint,
  model: string,
  inputs: NamedTensors,
): Promise<NamedTensors | string> => {
  try {
    return await endpoint.infer(model, inputs);
  } catch (error) {
    if (PipelineError.is(error) && answers.has(error.code)) return error.message;
    throw error;
  }
};

/** Codes of errors that are a model's answer to its request. */
const answers: ReadonlySet<ErrorCode> = new Set([
  "request/invalid",
  "request/unsupported",
  "model/failed",
  "model/unknown-error",
]);

/** Sends a request and compares what comes with local native's answer; where that is an error, the same error must come. */
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
    ? [different("(error)", `an answer, but local native fails: ${native}`)]
    : compareAnswers(answer, native, tolerance);
};

const compareErrors = (text: string, native: string): TensorComparison =>
  firstLine(text) === firstLine(native)
    ? { name: "(error)", ok: true, maxAbsolute: 0, maxRelative: 0, problem: undefined }
    : different("(error)", `${text}, but local native says: ${native}`);

/** The rest is Python's stack, with the paths of each server. */
const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
