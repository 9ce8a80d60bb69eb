import type { DType, TensorData } from "@tritype/core";
import { elementCount, elementSize, isDType, foreignError, requestPrefix } from "@tritype/core";
import { readJsonData, requireJsonInput } from "./json-data.ts";
import {
  as,
  invalid,
  type JsonValue,
  jsonArray,
  jsonData,
  jsonString,
  jsonUnsigned,
  memberOf,
  optionalMember,
  requireMember,
} from "./json-value.ts";
import { requestRawData, requireElements } from "./raw-data.ts";
import { readRegionPart } from "./region-part.ts";
import { emptyTensor, type SharedTensors } from "./shared-tensors.ts";
import type { Steps } from "./steps.ts";

/** The binary data after the JSON, and the position up to which it has been read. */
export interface BinarySection {
  readonly bytes: Uint8Array;
  at: number;
}

/** The request that the input belongs to. */
interface Context {
  readonly model: string;
  readonly id: string;
  readonly maxInputBytes: number;
  readonly binary: BinarySection;
  readonly shared: SharedTensors;
}

/** Splits or measures binary data; Triton's core does this after the HTTP service has assigned all data to inputs. */
export type PendingTensor = () => Steps<TensorData>;

/**
 * Reads one member of `inputs` and adds it to `inputs`. Checks run in Triton's order (`HTTPAPIServer::ParseJsonTritonIO`).
 * @throws PipelineError as `parseInferRequest` does.
 */
export function* readInput(
  context: Context,
  json: JsonValue,
  inputs: Map<string, PendingTensor>,
): Steps<void> {
  requireOneSource(json);
  const name = requireMember(json, "name", jsonString);
  const datatype = requireMember(json, "datatype", jsonString);
  const shape = readShape(json);
  if (inputs.has(name))
    throw invalid(`${requestPrefix(context.id)}input '${name}' already exists in request`);
  if (!isDType(datatype)) throw invalid(`invalid datatype for input ${name}`);
  inputs.set(name, yield* readData(context, json, name, datatype, shape));
}

/** @throws PipelineError `request/malformed` if `shape` is not an array of unsigned integers. */
export const readShape = (json: JsonValue): readonly number[] =>
  requireMember(json, "shape", jsonArray).map((dim) =>
    Number(as(dim, jsonUnsigned, "Unable to parse 'shape'")),
  );

/** The next `size` bytes of binary data; undefined if fewer are left. */
export const takeBinary = (section: BinarySection, size: number): Uint8Array | undefined => {
  const end = section.at + size;
  if (end > section.bytes.byteLength) return undefined;
  const bytes = section.bytes.subarray(section.at, end);
  section.at = end;
  return bytes;
};

function* readData(
  context: Context,
  json: JsonValue,
  name: string,
  datatype: DType,
  shape: readonly number[],
): Steps<PendingTensor> {
  const { model, id, maxInputBytes, binary, shared } = context;
  const owner = { model, id, input: name };
  requireCountable(name, shape);
  const parameters = memberOf(json, "parameters");
  const binarySize = optionalMember(
    parameters,
    "binary_data_size",
    jsonUnsigned,
    "Unable to parse 'binary_data_size'",
  );
  if (binarySize !== undefined) {
    const bytes = takeBinary(binary, Number(binarySize));
    if (bytes !== undefined) return () => requestRawData(owner, datatype, shape, bytes);
    const missing = Number(binarySize) - (binary.bytes.byteLength - binary.at);
    throw invalid(
      `unexpected size for input '${name}', expecting ${missing} additional bytes for model '${model}'`,
    );
  }
  const part = readRegionPart(parameters);
  if (part !== undefined) shared.input(name, part, (bytes) => requestRawData(owner, datatype, shape, bytes));
  if (part !== undefined || shape.includes(0)) return () => ready(emptyTensor(datatype, shape));
  const data = requireMember(json, "data", jsonData);
  requireJsonInput(name, datatype);
  requireInputSize(name, datatype, shape, maxInputBytes);
  const tensor = yield* readJsonData(owner, datatype, shape, data);
  return () => ready(requireElements(owner, tensor));
}

// oxlint-disable-next-line require-yield -- data that has already been read takes no steps
function* ready(tensor: TensorData): Steps<TensorData> {
  return tensor;
}

const sources = ["'data'", "'binary_data_size'", "'shared_memory_region'"];

const requireOneSource = (json: JsonValue): void => {
  const parameters = memberOf(json, "parameters");
  const given = [
    memberOf(json, "data"),
    memberOf(parameters, "binary_data_size"),
    memberOf(parameters, "shared_memory_region"),
  ];
  const set = sources.filter((_, index) => given[index] !== undefined);
  if (set.length !== 1)
    throw invalid(
      `Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But ${
        set.length === 0 ? "no field is set" : `set ${set.join(" ")}`
      }`,
    );
};

const maxInt64 = 2n ** 63n - 1n;

const requireCountable = (name: string, shape: readonly number[]): void => {
  if (shape.includes(0) || elementCount(shape) <= Number.MAX_SAFE_INTEGER) return;
  let count = 1n;
  for (const dim of shape) {
    if (dim !== 1) count *= BigInt(dim);
    if (count > maxInt64)
      throw invalid(
        `invalid shape for input '${name}': shape [${shape.join(",")}] causes total element count to exceed maximum size of ${maxInt64}`,
      );
  }
};

const requireInputSize = (name: string, datatype: DType, shape: readonly number[], limit: number): void => {
  if (datatype === "BYTES") return;
  const size = shape.reduce((product, dim) => product * dim, elementSize(datatype));
  if (size > limit)
    throw foreignError(
      "request/too-large",
      `JSON input '${name}' has a byte_size (${size} bytes) that exceeds the maximum allowed value of ${limit} bytes. Use --http-max-input-size to increase the limit.`,
    );
};
