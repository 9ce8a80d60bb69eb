import type { TensorData } from "@tritype/core";
import { elementSize, foreignError, isDType, PipelineError, rawSize, requestPrefix } from "@tritype/core";
import type { InferRequest, Parameter } from "./infer.ts";
import { defaultMaxInputBytes, maxText } from "./infer-request.ts";
import { readJsonData, requireJsonInput } from "./json-data.ts";
import {
  invalid,
  isObject,
  JsonArrayText,
  jsonString,
  type JsonValue,
  malformed,
  optionalMember,
} from "./json-value.ts";
import type { TensorMetadata } from "./metadata.ts";
import { jsonSteps } from "./parse-json.ts";
import { requestId, requireElements } from "./raw-data.ts";
import { readPlainParameter } from "./request-parameters.ts";
import { type Steps, stepSize } from "./steps.ts";
import { skipString } from "./json-string.ts";
import { char } from "./json-text.ts";

/** The body of `POST /v2/models/<model>/generate` or `/generate_stream`. */
export interface GenerateBody {
  readonly model: string;
  readonly version?: string;
  readonly body: Uint8Array;
  /** The model's inputs, as its metadata lists them. */
  readonly inputs: readonly TensorMetadata[];
  /** Maximum size in bytes of all inputs together as tensors; default 64 MiB. */
  readonly maxInputBytes?: number;
}

/** The inputs and parameters read so far. */
interface Reading extends Required<GenerateBody> {
  readonly id: string;
  readonly tensors: Map<string, TensorData>;
  readonly parameters: Map<string, Parameter>;
  /** Total size of the tensors in bytes. */
  size: number;
}

/**
 * Reads the flat JSON of a generate request: each member is an input of that name, or a parameter of the request if the
 * model has no such input; the object `parameters` holds more of both. All parameters are passed only to the model. An
 * input is a value or a list; its fixed dims come from the model, and the last variable dim gets the rest. Source:
 * `GenerateRequestClass::ExactMappingInput` of Triton's http_server.cc.
 * @throws PipelineError with Triton's message: `request/malformed` (500) for JSON that does not have the required structure,
 * `request/invalid` (400) for values that do not fit.
 */
export function* generateRequestSteps(message: GenerateBody): Steps<InferRequest> {
  const { model, version = "", body, inputs, maxInputBytes = defaultMaxInputBytes } = message;
  const data = new Set(inputs.map(({ name }) => name));
  const repeated: string[] = [];
  const json = yield* jsonSteps(body, {
    data,
    keepDoubles: true,
    keepFirst: true,
    maxText,
    flat: true,
    onRepeated: (name) => repeated.push(name),
  });
  const id = requestId(optionalMember(json, "id", jsonString) ?? "");
  const reading: Reading = {
    model,
    version,
    body,
    inputs,
    maxInputBytes,
    id,
    size: 0,
    tensors: new Map(),
    parameters: new Map(),
  };
  yield* readMembers(reading, json, true);
  const [again] = repeated;
  if (again !== undefined) throw alreadyExists(id, again);
  const { tensors, parameters } = reading;
  for (const [input, tensor] of tensors) requireElements({ model, id, input }, tensor);
  return {
    model,
    ...(version === "" ? {} : { version }),
    id,
    inputs: tensors,
    ...(parameters.size === 0 ? {} : { modelParameters: Object.fromEntries(parameters) }),
  };
}

function* readMembers(reading: Reading, json: JsonValue, outermost: boolean): Steps<void> {
  if (!isObject(json)) throw malformed("attempt to get members for non-object");
  for (const [name, value] of Object.entries(json)) {
    const input = reading.inputs.find((one) => one.name === name);
    if (outermost && name === nested) yield* readNested(reading, value, input !== undefined);
    else if (input !== undefined) yield* readInput(reading, input, value);
    else reading.parameters.set(name, readPlainParameter(name, value));
  }
}

const nested = "parameters";

function* readNested(reading: Reading, json: JsonValue, isInput: boolean): Steps<void> {
  if (isInput) throw invalid(`Keyword '${nested}' for nested schema also given as input tensor name`);
  if (!isObject(json))
    throw malformed(
      `Expected JSON object for keyword: '${nested}': attempt to access JSON non-object as object`,
    );
  try {
    yield* readMembers(reading, json, false);
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    throw foreignError(error.code, `Converting keyword: '${nested}': ${error.message}`);
  }
}

function* readInput(
  reading: Reading,
  { name, datatype, shape: dims }: TensorMetadata,
  value: JsonValue,
): Steps<void> {
  const { model, id, tensors } = reading;
  if (!isDType(datatype)) throw invalid(`invalid datatype for input ${name}`);
  const owner = { model, id, input: name };
  const data = Array.isArray(value) || value instanceof JsonArrayText ? value : [value];
  const count = data instanceof JsonArrayText ? yield* countElements(data.bytes) : data.length;
  const texts = datatype === "BYTES" ? yield* readJsonData(owner, datatype, [count], data) : undefined;
  const shape = shapeOf(dims, count);
  if (shape === undefined)
    throw invalid(`The schema can not convert input '${name}' to tensor with proper shape`);
  requireJsonInput(name, datatype);
  const numbers = datatype === "BYTES" ? 0 : count * elementSize(datatype);
  requireSize(reading, name, texts === undefined ? numbers : rawSize(texts));
  const tensor = texts ?? (yield* readJsonData(owner, datatype, shape, data));
  if (tensors.has(name)) throw alreadyExists(id, name);
  tensors.set(name, { ...tensor, shape });
}

const alreadyExists = (id: string, name: string): PipelineError =>
  invalid(`${requestPrefix(id)}input '${name}' already exists in request`);

/**
 * The shape of a list of `count` elements: the last variable dim gets what the fixed dims leave, earlier ones are 1.
 * Undefined if the elements do not fill the shape.
 */
const shapeOf = (dims: readonly number[], count: number): readonly number[] | undefined => {
  const fixed = dims.reduce((product, dim) => (dim === -1 ? product : product * dim), 1);
  const last = dims.lastIndexOf(-1);
  if (count % fixed !== 0 || (last < 0 && count !== fixed)) return undefined;
  return dims.map((dim, index) => (dim !== -1 ? dim : index === last ? count / fixed : 1));
};

/** @throws PipelineError `request/too-large` */
const requireSize = (reading: Reading, name: string, size: number): void => {
  const { size: before, maxInputBytes } = reading;
  reading.size += size;
  if (reading.size > maxInputBytes)
    throw foreignError(
      "request/too-large",
      `request size of ${before} bytes with input '${name}' of size ${size} bytes exceeds the maximum allowed input size of ${maxInputBytes}. Use --http-max-input-size to increase the limit.`,
    );
};

/** The number of elements of a validated array; nested arrays count once. */
function* countElements(bytes: Uint8Array): Steps<number> {
  let depth = 0;
  let commas = 0;
  let empty = true;
  let paused = 0;
  for (let at = 0; at < bytes.length; ) {
    if (at - paused > stepSize) {
      paused = at;
      yield;
    }
    const byte = bytes[at] as number;
    if (depth > 0 && byte > 0x20 && byte !== char.closeArray) empty = false;
    if (byte === char.quote) {
      at = yield* skipString(bytes, at);
      continue;
    }
    if (byte === char.openArray || byte === char.openObject) depth++;
    else if (byte === char.closeArray || byte === char.closeObject) depth--;
    else if (byte === char.comma && depth === 1) commas++;
    at++;
  }
  return empty ? 0 : commas + 1;
}
