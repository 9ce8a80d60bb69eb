import { elementCount } from "@tritype/core";
import type { InferResponse } from "./infer.ts";
import { jsonDataSteps, requireJsonOutput } from "./json-data.ts";
import { printParameter } from "./request-parameters.ts";
import type { Steps } from "./steps.ts";

/**
 * Prints a response as the flat JSON of the generate extension, sorted by name: the model, its version, the id, the
 * parameters and the outputs. An output of one element is a value, any other a flat list.
 * @throws PipelineError `request/invalid` for FP16 and BF16.
 */
export function* generateResponseSteps(response: InferResponse): Steps<string> {
  const { id, model, version, parameters = {}, outputs } = response;
  const members = new Map<string, string | readonly string[]>();
  for (const [name, tensor] of outputs) {
    requireJsonOutput(tensor.dtype);
    const list = yield* jsonDataSteps(tensor);
    members.set(name, elementCount(tensor.shape) === 1 ? list.slice(1, -1) : list);
  }
  // If names are equal, Triton's own name takes precedence, then a parameter's.
  for (const [name, value] of Object.entries(parameters)) members.set(name, printParameter(value));
  if (id !== "") members.set("id", JSON.stringify(id));
  members.set("model_name", JSON.stringify(model));
  members.set("model_version", JSON.stringify(version));
  const sorted = [...members].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const pieces = sorted.flatMap(([name, value], i) => [
    i === 0 ? "" : ",",
    `${JSON.stringify(name)}:`,
    ...[value].flat(),
  ]);
  return `{${pieces.join("")}}`;
}
