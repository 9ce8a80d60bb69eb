import { isDType, printRawData, type TensorData, requestPrefix } from "@tritype/core";
import { readContents } from "./grpc-contents.ts";
import {
  type GrpcInferRequest,
  type GrpcInferResponse,
  type GrpcTensor,
  grpcParameters,
  readGrpcParameters,
} from "./grpc-messages.ts";
import type { InferRequest, InferResponse } from "./infer.ts";
import { readClasses, readGrpcRegionPart, readRequestParameters } from "./grpc-parameters.ts";
import { invalid, malformed } from "./json-value.ts";
import { emptyTensor, noSharedTensors, type SharedTensors } from "./shared-tensors.ts";
import { grpcMethod } from "./grpc-service.ts";
import { printBytesHead } from "./grpc-wire.ts";
import { concatSteps, type Steps } from "./steps.ts";
import { readRawData, requestId, requestRawData } from "./raw-data.ts";

/** A request as a `ModelInferRequest`; all tensors raw. */
export const grpcInferRequest = (request: InferRequest): object => ({
  model_name: request.model,
  model_version: request.version ?? "",
  id: request.id,
  parameters: grpcParameters(request.parameters),
  inputs: [...request.inputs].map(grpcTensor),
  outputs: (request.outputs ?? []).map((name) => ({ name })),
  raw_input_contents: [...request.inputs.values()].map(printRawData),
});

/** A `ModelInferResponse` to be encoded. */
export interface GrpcInferReply {
  readonly parameters: Readonly<Record<string, object>>;
  readonly raw_output_contents: readonly Uint8Array[];
  readonly [name: string]: unknown;
}

/**
 * A response as a `ModelInferResponse`; all tensors are raw, as Triton sends them. @param inRegions Outputs in shared
 * memory, whose contents stay empty.
 */
export const grpcInferResponse = (
  response: InferResponse,
  inRegions: ReadonlySet<string> = new Set(),
): GrpcInferReply => ({
  model_name: response.model,
  model_version: response.version,
  id: response.id,
  parameters: grpcParameters(response.parameters),
  outputs: [...response.outputs].map(grpcTensor),
  raw_output_contents: [...response.outputs].map(([name, tensor]) =>
    inRegions.has(name) ? new Uint8Array(0) : printRawData(tensor),
  ),
});

/**
 * Reads a `ModelInferRequest` of `grpcInferMessageSteps`: tensors raw (all or none) or typed, or in shared memory.
 * @param shared Records the tensors in shared memory. Default: no region is registered.
 * @throws PipelineError `request/invalid` with Triton's message, and for shared memory as `SharedTensors` does.
 */
export function* readGrpcInferRequest(
  message: GrpcInferRequest,
  shared: SharedTensors = noSharedTensors,
): Steps<InferRequest> {
  const { model_name: model, model_version: version } = message;
  const id = requestId(message.id);
  const parameters = readRequestParameters(message.parameters);
  const inputs = new Map<string, TensorData>();
  const raw = message.raw_input_contents.values();
  yield* refuseRepeated(id, message.inputs);
  for (const [index, input] of message.inputs.entries()) {
    if (index % 256 === 255) yield;
    inputs.set(input.name, yield* readInput({ ...message, id }, input, raw, shared));
  }
  const wanted = message.outputs.map(({ name, parameters }) => {
    const part = readGrpcRegionPart(name, parameters);
    const count = readClasses(parameters);
    if (part !== undefined) {
      if (count !== undefined)
        throw invalid("output can't set both 'shared_memory_region' and 'classification'");
      shared.output(name, part);
    }
    return [name, count] as const;
  });
  const outputs = [...new Set(wanted.map(([name]) => name))];
  const classes = new Map(wanted.flatMap(([name, count]) => (count === undefined ? [] : [[name, count]])));
  return {
    model,
    version: version === "" ? undefined : version,
    id,
    inputs,
    outputs: outputs.length === 0 ? undefined : outputs,
    classes: classes.size === 0 ? undefined : classes,
    parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
  };
}

/**
 * The bytes of a `ModelInferResponse`, interruptible: outputs may be large.
 * @param streamed Whether to return the bytes of a `ModelStreamInferResponse` that holds it.
 */
export function* grpcReplySteps(
  { raw_output_contents: contents, ...head }: GrpcInferReply,
  streamed: boolean,
): Steps<Uint8Array> {
  const parts = [
    grpcMethod("ModelInfer").response.encode(head),
    ...contents.flatMap((bytes) => [printBytesHead(6, bytes.byteLength), bytes]),
  ];
  const size = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return yield* concatSteps(streamed ? [printBytesHead(2, size), ...parts] : parts);
}

/** Reads a decoded `ModelInferResponse`. @throws PipelineError `request/malformed` if tensors and data do not match. */
export const readGrpcInferResponse = (message: GrpcInferResponse): InferResponse => {
  const parameters = readGrpcParameters(message.parameters);
  return {
    model: message.model_name,
    version: message.model_version,
    id: message.id,
    outputs: new Map(
      message.outputs.map((output, index) => [output.name, readOutput(message, output, index)]),
    ),
    parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
  };
};

const grpcTensor = ([name, tensor]: readonly [string, TensorData]): object => ({
  name,
  datatype: tensor.dtype,
  shape: tensor.shape,
});

/** Triton adds all inputs to a request before it reads their data. */
function* refuseRepeated(id: string, inputs: readonly GrpcTensor[]): Steps<void> {
  const names = new Set<string>();
  for (const { name } of inputs) {
    if (names.has(name)) throw invalid(`${requestPrefix(id)}input '${name}' already exists in request`);
    names.add(name);
    if (names.size % 4096 === 0) yield;
  }
}

/** @param rawContents The contents that have not yet been assigned to an input. */
function* readInput(
  message: GrpcInferRequest,
  input: GrpcTensor,
  rawContents: Iterator<Uint8Array>,
  shared: SharedTensors,
): Steps<TensorData> {
  const { model_name: model, id } = message;
  if (!isDType(input.datatype)) throw invalid(`invalid datatype for input ${input.name}`);
  const owner = { model, input: input.name, id };
  const part = readGrpcRegionPart(input.name, input.parameters);
  const { datatype } = input;
  const shape = input.shape.map(Number);
  if (part !== undefined) {
    if (input.contents !== undefined)
      throw invalid(
        `unexpected 'content' provided when using shared memory for input tensor '${input.name}' for model '${model}'`,
      );
    shared.input(input.name, part, (bytes) => requestRawData(owner, datatype, shape, bytes));
    return emptyTensor(datatype, shape);
  }
  if (input.contents !== undefined && message.raw_input_contents.length > 0)
    throw invalid(
      `contents field must not be specified when using raw_input_contents for '${input.name}' for model '${model}'`,
    );
  if (input.contents !== undefined) return yield* readContents(owner, datatype, shape, input.contents);
  const raw = rawContents.next();
  if (raw.done === true)
    throw invalid(`unable to find data for input tensor '${input.name}' for model '${model}' in request.`);
  return yield* requestRawData(owner, datatype, shape, plainBytes(raw.value));
}

const readOutput = (message: GrpcInferResponse, output: GrpcTensor, index: number): TensorData => {
  const raw = message.raw_output_contents[index];
  if (raw === undefined || !isDType(output.datatype))
    throw malformed(
      `the server's answer cannot be read: output '${output.name}' (${output.datatype}) has no data`,
    );
  const owner = { model: message.model_name, input: output.name, id: message.id };
  return readRawData(owner, output.datatype, output.shape.map(Number), plainBytes(raw));
};

/** Sockets hand out Buffers, whose `slice` shares memory; the rest of the code relies on Uint8Array's. */
const plainBytes = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
