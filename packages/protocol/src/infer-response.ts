import { isDType, type TensorData, generalError, PipelineError } from "@tritype/core";
import type { InferResponse } from "./infer.ts";
import { type BinarySection, readShape, takeBinary } from "./infer-input.ts";
import { type InferMessage, joined, printMessage } from "./infer-message.ts";
import { readJsonData, requireJsonOutput } from "./json-data.ts";
import {
  type JsonValue,
  jsonArray,
  jsonData,
  jsonString,
  jsonUnsigned,
  malformed,
  memberOf,
  optionalMember,
  requireMember,
} from "./json-value.ts";
import type { OutputFormat } from "./output-format.ts";
import { tensorJsonSteps } from "./parse-json.ts";
import { describeTensor, type PrintedTensor, printTensor } from "./print-tensor.ts";
import { readRawData, requireElements } from "./raw-data.ts";
import { printParameters, readParameters } from "./request-parameters.ts";
import { finish, type Steps } from "./steps.ts";

/**
 * Prints a response with Triton's member order. Outputs keep the order of the response; each has the format that its
 * request asked for.
 * @throws PipelineError `request/invalid` for FP16 and BF16 as JSON.
 */
export const printInferResponse = (response: InferResponse, format: OutputFormat): InferMessage =>
  finish(inferResponseSteps(response, format));

/** `printInferResponse`, interruptible. @param inRegions Outputs in shared memory, which the response only describes. */
export function* inferResponseSteps(
  response: InferResponse,
  format: OutputFormat,
  inRegions: ReadonlySet<string> = new Set(),
): Steps<InferMessage> {
  const tensors: PrintedTensor[] = [];
  for (const [name, tensor] of response.outputs) {
    if (inRegions.has(name)) {
      tensors.push(describeTensor(name, tensor));
      continue;
    }
    const binary = format.binary.get(name) ?? format.binaryByDefault;
    if (!binary) requireJsonOutput(tensor.dtype);
    tensors.push(yield* printTensor(name, tensor, binary));
  }
  const members = [
    response.id === "" ? undefined : `"id":${JSON.stringify(response.id)}`,
    `"model_name":${JSON.stringify(response.model)}`,
    `"model_version":${JSON.stringify(response.version)}`,
    printParameters(response.parameters),
    ['"outputs":[', ...joined(tensors), "]"],
  ];
  return yield* printMessage(
    members,
    tensors.map((t) => t.binary),
  );
}

/**
 * Reads a response. Binary tensors share memory with `body`.
 * @throws PipelineError `request/malformed` if it is not an inference response.
 */
export const parseInferResponse = (
  body: Uint8Array,
  headerLength: number = body.byteLength,
): InferResponse => {
  try {
    return finish(readResponse(body, headerLength));
  } catch (cause) {
    if (!PipelineError.is(cause)) throw cause;
    throw generalError("server/unreadable-answer", { why: cause.message }, { cause });
  }
};

function* readResponse(body: Uint8Array, headerLength: number): Steps<InferResponse> {
  const json = yield* tensorJsonSteps(body.subarray(0, headerLength), {});
  const binary: BinarySection = { bytes: body, at: headerLength };
  const model = requireMember(json, "model_name", jsonString);
  const outputs = new Map<string, TensorData>();
  for (const output of requireMember(json, "outputs", jsonArray))
    outputs.set(...(yield* readOutput(model, output, binary)));
  const parameters = readParameters(memberOf(json, "parameters"));
  return {
    model,
    // Triton always has it; in KServe v2 it is optional.
    version: optionalMember(json, "model_version", jsonString) ?? "",
    id: optionalMember(json, "id", jsonString) ?? "",
    outputs,
    parameters,
  };
}

function* readOutput(model: string, json: JsonValue, binary: BinarySection): Steps<[string, TensorData]> {
  const name = requireMember(json, "name", jsonString);
  const dtype = requireMember(json, "datatype", jsonString);
  const shape = readShape(json);
  if (!isDType(dtype)) throw malformed(`output '${name}' has datatype '${dtype}'`);
  const owner = { model, input: name, id: "" };
  const size = optionalMember(memberOf(json, "parameters"), "binary_data_size", jsonUnsigned);
  if (size === undefined)
    return [
      name,
      requireElements(owner, yield* readJsonData(owner, dtype, shape, requireMember(json, "data", jsonData))),
    ];
  const bytes = takeBinary(binary, Number(size));
  if (bytes === undefined) throw malformed(`the data of output '${name}' ends early`);
  return [name, readRawData(owner, dtype, shape, bytes)];
}
