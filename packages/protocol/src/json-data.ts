import {
  byteLength,
  type DType,
  decodeUtf8,
  elementCount,
  encodeUtf8,
  type FixedDType,
  type TensorData,
  tryDecodeUtf8,
  typedArrayOf,
} from "@tritype/core";
import {
  invalid,
  JsonArrayText,
  type JsonDouble,
  type JsonKind,
  type JsonValue,
  jsonBool,
  jsonNumber,
  jsonSigned,
  jsonString,
  jsonUnsigned,
  malformed,
} from "./json-value.ts";
import { numberValue } from "./exact-json.ts";
import { tooDeep } from "./json-text.ts";
import { requireFewElements, type TensorOwner } from "./raw-data.ts";
import { readDataText } from "./read-data-text.ts";
import { finish, type Steps, shortText, stepSize } from "./steps.ts";

const maxNesting = 100;
const shapeMismatch = "Unable to parse 'data': Shape does not match true shape of 'data' field";

/** Receives the elements one by one. */
interface Sink {
  /** @throws PipelineError `request/malformed` if the element does not fit. */
  readonly add: (element: boolean | number | bigint | JsonDouble | Uint8Array) => void;
  /** @throws PipelineError `request/malformed` if elements are missing. */
  readonly finish: () => TensorData;
}

/**
 * The tensor in the `data` of an input or output: any nesting, flattened; integers wrap to the dtype without a check,
 * as in Triton. BYTES elements are strings in UTF-8; their count is not compared with the shape here, and at most one
 * excess element is kept.
 * @throws PipelineError `request/malformed` if elements are of another kind or their count does not match the shape;
 * `request/invalid` if they are nested too deeply.
 */
export function* readJsonData(
  owner: TensorOwner,
  dtype: DType,
  shape: readonly number[],
  data: readonly JsonValue[] | JsonArrayText,
): Steps<TensorData> {
  if (dtype === "BYTES") {
    const most = elementCount(shape) + 1;
    const elements: Uint8Array[] = [];
    const add = (text: Uint8Array): void => {
      if (elements.length === most) return;
      elements.push(text);
      requireFewElements(owner, elements.length);
    };
    if (data instanceof JsonArrayText) yield* readTextStrings(data, add);
    else eachElement(data, jsonString, bytesComplaint, 0, (text) => add(encodeUtf8(text)));
    return { dtype, shape, data: elements };
  }
  const kind = kindOf(dtype);
  const sink = fixedSink(dtype, shape, data);
  if (data instanceof JsonArrayText) yield* readTextElements(data, kind, dtype, sink);
  else eachElement(data, kind, dataComplaint, 0, sink.add);
  return sink.finish();
}

const dataComplaint = "Unable to parse 'data'";
const bytesComplaint = "Unable to parse JSON bytes array";

/** Memory for the elements of the shape, limited by the number that the data can contain. */
const fixedSink = (
  dtype: FixedDType,
  shape: readonly number[],
  data: readonly JsonValue[] | JsonArrayText,
): Sink => {
  const count = elementCount(shape);
  // An element and its comma take two bytes; texts short enough to be read as a whole contain few elements.
  const most = data instanceof JsonArrayText ? (data.bytes.length >> 1) + 1 : shortText;
  const room = Math.min(count, most);
  const view = typedArrayOf({ dtype, shape: [room], data: new Uint8Array(byteLength(dtype, [room])) });
  const wide = dtype === "INT64" || dtype === "UINT64";
  const narrow = !wide && dtype.includes("INT");
  let at = 0;
  return {
    add: (element) => {
      if (at === room) throw malformed(shapeMismatch);
      const wrapped = narrow && typeof element === "bigint" ? BigInt.asIntN(32, element) : element;
      view[at++] = (wide ? BigInt(element as number | bigint) : Number(wrapped)) as never;
    },
    finish: () => {
      if (at !== count) throw malformed(shapeMismatch);
      return { dtype, shape, data: new Uint8Array(view.buffer, view.byteOffset, view.byteLength) };
    },
  };
};

function* readTextElements(
  { bytes, keepDoubles }: JsonArrayText,
  kind: JsonKind<boolean | number | bigint | JsonDouble>,
  dtype: FixedDType,
  { add }: Sink,
): Steps<void> {
  const wrong = (): never => {
    throw malformed(`${dataComplaint}: ${kind.wrong}`);
  };
  const visit = (value: JsonValue): void => {
    if (kind.is(value)) add(value);
    else wrong();
  };
  const floats = dtype === "FP32" || dtype === "FP64";
  yield* readDataText(bytes, {
    nest: requireNesting,
    number: (value, integer, start, end) => {
      if (floats) add(value);
      else visit(numberValue(bytes, start, { value, end, integer }, { keepDoubles }));
    },
    word: visit,
    string: undefined,
    other: wrong,
  });
}

function* readTextStrings({ bytes }: JsonArrayText, add: (text: Uint8Array) => void): Steps<void> {
  const wrong = (): never => {
    throw malformed(`${bytesComplaint}: ${jsonString.wrong}`);
  };
  yield* readDataText(bytes, { nest: requireNesting, number: wrong, word: wrong, string: add, other: wrong });
}

/**
 * The elements as a flat JSON array, floats as RapidJSON prints them (`1.0`, `1e30`, `NaN`). In BYTES elements that are
 * not valid UTF-8, invalid bytes are replaced with U+FFFD, so that the text remains valid JSON; Triton copies the
 * bytes.
 */
export const printJsonData = (tensor: TensorData): string => finish(jsonDataSteps(tensor)).join("");

/** `printJsonData` in pieces. */
export function* jsonDataSteps(tensor: TensorData): Steps<readonly string[]> {
  const print = printerOf(tensor);
  const count = tensor.dtype === "BYTES" ? tensor.data.length : elementCount(tensor.shape);
  const pieces = ["["];
  for (let from = 0; from < count; from += stepSize) {
    if (from > 0) yield;
    pieces.push(from === 0 ? "" : ",", print(from, Math.min(count, from + stepSize)));
  }
  pieces.push("]");
  return pieces;
}

/** Prints a range of elements. */
const printerOf = (tensor: TensorData): ((from: number, to: number) => string) => {
  if (tensor.dtype === "BYTES")
    return (from, to) =>
      tensor.data
        .slice(from, to)
        .map((bytes) => JSON.stringify(decodeUtf8(bytes)))
        .join(",");
  const print = printers[tensor.dtype] ?? String;
  const view = typedArrayOf(tensor);
  return (from, to) => {
    let text = "";
    for (let i = from; i < to; i++)
      text += i === from ? print(view[i] as never) : `,${print(view[i] as never)}`;
    return text;
  };
};

/** The reason why a tensor cannot be sent as JSON without loss; undefined if it can. */
export const lossInJson = (tensor: TensorData): string | undefined => {
  if (!isJsonDType(tensor.dtype)) return `${tensor.dtype} has no JSON form`;
  if (tensor.dtype === "BYTES" && tensor.data.some((bytes) => tryDecodeUtf8(bytes) === undefined))
    return "its bytes are not UTF-8";
  return undefined;
};

/** FP16 and BF16 can only be sent as binary data. */
const isJsonDType = (dtype: DType): boolean => dtype !== "FP16" && dtype !== "BF16";

/** @throws PipelineError `request/invalid` with Triton's message for FP16 and BF16. */
export const requireJsonInput = (name: string, dtype: DType): void => {
  if (!isJsonDType(dtype))
    throw invalid(
      `receiving ${dtype} data via JSON is not supported. Please use the binary data format for input ${name}`,
    );
};

/** @throws PipelineError `request/invalid` with Triton's message for FP16 and BF16. */
export const requireJsonOutput = (dtype: DType): void => {
  if (!isJsonDType(dtype))
    throw invalid(
      `sending ${dtype} data via JSON is not supported. Please use the binary data format for output`,
    );
};

const kindOf = (dtype: FixedDType): JsonKind<boolean | number | bigint | JsonDouble> => {
  if (dtype === "BOOL") return jsonBool;
  if (dtype.startsWith("UINT")) return jsonUnsigned;
  return dtype.startsWith("INT") ? jsonSigned : jsonNumber;
};

const requireNesting = (depth: number): void => {
  if (depth >= maxNesting) throw tooDeep();
};

const eachElement = <T extends JsonValue>(
  data: readonly JsonValue[],
  kind: JsonKind<T>,
  complaint: string,
  depth: number,
  visit: (element: T) => void,
): void => {
  requireNesting(depth);
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
