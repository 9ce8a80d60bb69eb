import {
  byteLength,
  type DType,
  decodeUtf8,
  encodeUtf8,
  type FixedDType,
  type FixedTensor,
  type TensorData,
  tryDecodeUtf8,
  typedArrayOf,
} from "@tritype/core";
import {
  invalid,
  type JsonKind,
  type JsonValue,
  jsonBool,
  jsonNumber,
  jsonSigned,
  jsonString,
  jsonUnsigned,
  malformed,
} from "./json-value.ts";

const maxNesting = 100;
const shapeMismatch = "Unable to parse 'data': Shape does not match true shape of 'data' field";

/**
 * The tensor in the `data` of an input or output: any nesting, flattened; integers are wrapped to the dtype without a check, as
 * Triton does. BYTES elements are strings, taken as UTF-8; their count is not held against the shape here.
 * @throws PipelineError `request/malformed` when elements are of another kind or their count does not fit the shape.
 */
export const readJsonData = (
  dtype: DType,
  shape: readonly number[],
  data: readonly JsonValue[],
): TensorData => {
  if (dtype === "BYTES") {
    const elements: Uint8Array[] = [];
    eachElement(data, jsonString, "Unable to parse JSON bytes array", 0, (text) =>
      elements.push(encodeUtf8(text)),
    );
    return { dtype, shape, data: elements };
  }
  const kind = kindOf(dtype);
  const tensor: FixedTensor = { dtype, shape, data: new Uint8Array(byteLength(dtype, shape)) };
  const view = typedArrayOf(tensor);
  const wide = dtype === "INT64" || dtype === "UINT64";
  let at = 0;
  eachElement(data, kind, "Unable to parse 'data'", 0, (element) => {
    if (at === view.length) throw malformed(shapeMismatch);
    view[at++] = (wide ? BigInt(element) : Number(element)) as never;
  });
  if (at !== view.length) throw malformed(shapeMismatch);
  return tensor;
};

/**
 * The elements as a flat JSON array, floats as RapidJSON prints them (`1.0`, `1e30`, `NaN`). BYTES elements that are not UTF-8 get
 * U+FFFD, so that the text stays JSON; Triton copies the bytes.
 */
export const printJsonData = (tensor: TensorData): string => {
  if (tensor.dtype === "BYTES")
    return `[${tensor.data.map((bytes) => JSON.stringify(decodeUtf8(bytes))).join(",")}]`;
  const print = printers[tensor.dtype] ?? String;
  return `[${Array.from<number | bigint, string>(typedArrayOf(tensor), print).join(",")}]`;
};

/** Why a tensor cannot travel as JSON without loss; undefined when it can. */
export const lossInJson = (tensor: TensorData): string | undefined => {
  if (!isJsonDType(tensor.dtype)) return `${tensor.dtype} has no JSON form`;
  if (tensor.dtype === "BYTES" && tensor.data.some((bytes) => tryDecodeUtf8(bytes) === undefined))
    return "its bytes are not UTF-8";
  return undefined;
};

/** FP16 and BF16 travel as binary data only. */
export const isJsonDType = (dtype: DType): boolean => dtype !== "FP16" && dtype !== "BF16";

/** @throws PipelineError `request/invalid` for FP16 and BF16, in Triton's words. */
export const requireJsonInput = (name: string, dtype: DType): void => {
  if (!isJsonDType(dtype))
    throw invalid(
      `receiving ${dtype} data via JSON is not supported. Please use the binary data format for input ${name}`,
    );
};

const kindOf = (dtype: FixedDType): JsonKind<boolean | number | bigint> => {
  if (dtype === "BOOL") return jsonBool;
  if (dtype.startsWith("UINT")) return jsonUnsigned;
  return dtype.startsWith("INT") ? jsonSigned : jsonNumber;
};

const eachElement = <T extends JsonValue>(
  data: readonly JsonValue[],
  kind: JsonKind<T>,
  complaint: string,
  depth: number,
  visit: (element: T) => void,
): void => {
  if (depth >= maxNesting) throw invalid(`JSON nesting depth exceeds maximum allowed limit (${maxNesting})`);
  for (const element of data)
    if (Array.isArray(element))
      eachElement(element as readonly JsonValue[], kind, complaint, depth + 1, visit);
    else if (kind.is(element)) visit(element);
    else throw malformed(`${complaint}: ${kind.wrong}`);
};

const printFloat = (element: number | bigint): string => {
  const value = Number(element);
  if (Math.abs(value) >= 1e21) return String(value).replace("e+", "e");
  if (!Number.isInteger(value)) return String(value);
  return Object.is(value, -0) ? "-0.0" : `${value}.0`;
};
const printers: Readonly<Partial<Record<FixedDType, (element: number | bigint) => string>>> = {
  BOOL: (element) => String(element !== 0),
  FP32: printFloat,
  FP64: printFloat,
};
