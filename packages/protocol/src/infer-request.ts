import type { NamedTensors, TensorData } from "@tritype/core";
import type { InferRequest, Parameters } from "./infer.ts";
import { headerLengthName, type InferMessage, joined, printMessage } from "./infer-message.ts";
import { type BinarySection, type PendingTensor, readInput } from "./infer-input.ts";
import { lossInJson } from "./json-data.ts";
import { invalid, jsonArray, jsonString, memberOf, optionalMember, requireMember } from "./json-value.ts";
import { type OutputFormat, readOutputFormat } from "./output-format.ts";
import { tensorJsonSteps } from "./parse-json.ts";
import { requestId } from "./raw-data.ts";
import { printTensor } from "./print-tensor.ts";
import { printParameters, readRequestParameters } from "./request-parameters.ts";
import { noSharedTensors, type SharedTensors } from "./shared-tensors.ts";
import { finish, type Steps } from "./steps.ts";

/** The body of `POST /v2/models/<model>/infer`, uncompressed. */
export interface InferBody {
  readonly model: string;
  readonly version?: string | undefined;
  readonly body: Uint8Array;
  /** `Inference-Header-Content-Length`: bytes of JSON before the binary data. Default: the whole body is JSON. */
  readonly headerLength?: number;
  /** Maximum size in bytes of one JSON input as a tensor; default 64 MiB, as Triton's `--http-max-input-size`. */
  readonly maxInputBytes?: number;
  /** Records the tensors in shared memory. Default: no region is registered. */
  readonly shared?: SharedTensors;
}

/** The content of a request, and the format of its response. */
export interface ParsedInferRequest {
  readonly request: InferRequest;
  readonly format: OutputFormat;
}

/** Triton's default for `--http-max-input-size`: 64 MiB. */
export const defaultMaxInputBytes = 67_108_864;

/**
 * Reads an inference request: JSON tensors in any nesting, binary tensors after the JSON.
 * @throws PipelineError with Triton's message: `request/malformed` (500) for JSON that does not have the required structure,
 * `request/invalid` (400) for invalid tensors, `model/not-found` for shared memory regions.
 */
export const parseInferRequest = (message: InferBody): ParsedInferRequest =>
  finish(inferRequestSteps(message));

/** Maximum total bytes of an id, names and parameters: they are processed as a whole, and responses may repeat them. */
export const maxText: number = 2 ** 22;

/** `parseInferRequest`, interruptible: the cost of a body grows with its size, whatever it contains. */
export function* inferRequestSteps(message: InferBody): Steps<ParsedInferRequest> {
  const {
    model,
    version,
    body,
    headerLength = body.byteLength,
    maxInputBytes = defaultMaxInputBytes,
    shared = noSharedTensors,
  } = message;
  if (headerLength !== body.byteLength) requireHeaderLength(String(headerLength), body.byteLength);
  const json = yield* tensorJsonSteps(body.subarray(0, headerLength), { keepDoubles: true, maxText });
  const id = requestId(optionalMember(json, "id", jsonString) ?? "");
  const { parameters, binaryByDefault } = readRequestParameters(memberOf(json, "parameters"));
  const binary: BinarySection = { bytes: body, at: headerLength };
  const pending = new Map<string, PendingTensor>();
  for (const input of requireMember(json, "inputs", jsonArray)) {
    if (pending.size % 16 === 15) yield;
    yield* readInput({ model, id, maxInputBytes, binary, shared }, input, pending);
  }
  if (binary.at !== body.byteLength) throw invalid(`unexpected additional input data for model '${model}'`);
  const format = readOutputFormat(optionalMember(json, "outputs", jsonArray) ?? [], binaryByDefault, shared);
  const outputs = [...format.binary.keys()];
  const inputs = new Map<string, TensorData>();
  for (const [name, read] of pending) inputs.set(name, yield* read());
  return {
    request: {
      model,
      version,
      id,
      inputs,
      outputs: outputs.length === 0 ? undefined : outputs,
      classes: format.classes.size === 0 ? undefined : format.classes,
      parameters,
    },
    format,
  };
}

/**
 * The value of `Inference-Header-Content-Length` for a body of `bodyLength` bytes; 0 denotes a raw binary request.
 * @throws PipelineError `request/invalid` if it is not an integer or not within the body.
 */
export const requireHeaderLength = (header: string, bodyLength: number): number => {
  const digits = /^\s*[+-]?[0-9]+/.exec(header)?.[0];
  if (digits === undefined) throw invalid(`Unable to parse ${headerLengthName}, got: ${header}`);
  const length = Number(digits);
  if (length < -(2 ** 31) || length >= 2 ** 31)
    throw invalid(
      `Unable to parse ${headerLengthName}, value is out of range [ -2147483648, 2147483647 ], got: ${header}`,
    );
  if (length < 0 || length > bodyLength)
    throw invalid(`inference header size should be in range (0, ${bodyLength}), got: ${header}`);
  return length;
};

/** The content of a client's request. */
export interface InferRequestMessage {
  readonly id?: string | undefined;
  readonly inputs: NamedTensors;
  /** Names of the requested outputs; default all. */
  readonly outputs?: readonly string[] | undefined;
  readonly parameters?: Parameters | undefined;
}

/**
 * Prints an inference request. With `binary`, all tensors of request and response are binary data.
 * @throws PipelineError `request/invalid` for a tensor that JSON cannot represent: FP16, BF16, BYTES that are not
 * UTF-8.
 */
export const printInferRequest = (
  { id, inputs, outputs, parameters }: InferRequestMessage,
  { binary }: { readonly binary: boolean },
): InferMessage => {
  const tensors = [...inputs].map(([name, tensor]) => {
    const loss = binary ? undefined : lossInJson(tensor);
    if (loss !== undefined)
      throw invalid(`input ${name} cannot be sent as JSON: ${loss}; send it as binary data`);
    return finish(printTensor(name, tensor, binary));
  });
  const members = [
    id === undefined || id === "" ? undefined : `"id":${JSON.stringify(id)}`,
    printParameters({
      ...parameters,
      ...(binary && (outputs ?? []).length === 0 ? { binary_data_output: true } : {}),
    }),
    ['"inputs":[', ...joined(tensors), "]"],
    outputs &&
      `"outputs":${JSON.stringify(outputs.map((name) => ({ name, parameters: { binary_data: binary } })))}`,
  ];
  return finish(
    printMessage(
      members,
      tensors.map((t) => t.binary),
    ),
  );
};
