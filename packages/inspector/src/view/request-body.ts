import { elementCount, tensorOf } from "@tritype/core";
import type { TensorView } from "../api.ts";
import { exampleText, jsonProblem } from "./json-text.ts";
import { parseNumbers, spellNotFinite } from "./not-finite.ts";
import { pictureTensor, type PictureValue } from "./picture-input.ts";

/** The value of one input in the form: the rows' texts, JSON, the bytes of a file, or a picture for numbers. */
export type FieldValue =
  | PictureValue
  | { readonly kind: "rows"; readonly rows: readonly string[] }
  | { readonly kind: "json"; readonly text: string }
  | {
      readonly kind: "file";
      readonly name: string;
      readonly type: string;
      readonly bytes: Uint8Array<ArrayBuffer>;
    };

export interface RequestBody {
  /** JSON, then binary data. */
  readonly parts: readonly (string | Uint8Array<ArrayBuffer>)[];
  readonly headerLength: number;
  /** The elements of the files, with their lengths before them, and the tensors of pictures. */
  readonly files: readonly Uint8Array<ArrayBuffer>[];
  /** The values as JSON, for programs; a file is replaced by its name. */
  readonly values: ReadonlyMap<string, RequestValue>;
  readonly parameters: RequestParameters;
  /** The same request with other parameters. */
  withParameters(parameters: RequestParameters): RequestBody;
}

export type RequestParameters = Readonly<Record<string, string | number | boolean>>;

export interface RequestValue {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Nested lists as JSON; undefined for a file. */
  readonly json?: string;
  readonly file?: string;
  /** The source of the numbers in the file. */
  readonly picture?: PictureValue;
}

/** A text that does not match the type of a JSON input; the input's field says so, too. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
}

/** The field for an input: lines of text, numbers, or nested lists. */
export const fieldKind = ({ dtype, dims }: TensorView): "text" | "number" | "choice" | "json" => {
  const [first, ...rest] = dims;
  const inner = first === "batch" ? rest : dims;
  const single = inner.every((dim) => dim === 1);
  if (!single) return inner.length === 1 && inner[0] === -1 && dtype === "BYTES" ? "text" : "json";
  return dtype === "BYTES" ? "text" : dtype === "BOOL" ? "choice" : "number";
};

/** The value of an empty form. */
export const startValue = (tensor: TensorView): FieldValue => {
  const kind = fieldKind(tensor);
  const isOptional = tensor.optional === true;
  if (kind === "json") return { kind: "json", text: isOptional ? "" : zeros(tensor) };
  const [first] = choicesOf(tensor) ?? [];
  const example = tensor.json === undefined ? "" : exampleText(tensor.json);
  return { kind: "rows", rows: [isOptional ? "" : (first ?? (kind === "number" ? "0" : example))] };
};

/** The only values that an input takes; undefined for other inputs. */
export const choicesOf = (tensor: TensorView): readonly string[] | undefined =>
  fieldKind(tensor) === "choice" ? ["false", "true"] : tensor.choices;

/** More than this makes a field slow. */
const mostZeros = 16_384;

/** A tensor of zeros in which each variable dim has size 1; empty if it is too large to show. */
const zeros = ({ dtype, dims }: TensorView): string => {
  const zero = dtype === "BYTES" ? '""' : dtype === "BOOL" ? "false" : "0";
  const sizes = dims.map((dim) => (typeof dim === "number" && dim > 0 ? dim : 1));
  if (sizes.reduce((count, size) => count * size, 1) > mostZeros) return "";
  return sizes.reduceRight<string>(
    (inner, size) => `[${Array.from({ length: size }, () => inner).join(", ")}]`,
    zero,
  );
};

/**
 * The KServe v2 body of a form. JSON is passed on as it was written, so that large integers stay exact.
 * @throws Error that names the input.
 */
export const requestBody = (
  inputs: readonly TensorView[],
  values: ReadonlyMap<string, FieldValue>,
  parameters: RequestParameters = {},
): RequestBody => {
  const binary: Uint8Array<ArrayBuffer>[] = [];
  const files: Uint8Array<ArrayBuffer>[] = [];
  const read = new Map<string, RequestValue>();
  const tensors: string[] = [];
  for (const input of inputs) {
    const value = values.get(input.name);
    if (value === undefined || (input.optional === true && isEmpty(value))) continue;
    const head = (shape: readonly number[]): string =>
      `"name":${JSON.stringify(input.name)},"datatype":"${input.dtype}","shape":[${shape.join(",")}]`;
    if (value.kind === "file" || value.kind === "picture") {
      const isFile = value.kind === "file";
      const { shape, bytes } = isFile ? fileTensor(input, value.bytes) : pictureTensor(input, value);
      const file = isFile ? value.name : `${input.name.replaceAll(/[^\w.-]/g, "_")}.bin`;
      binary.push(bytes);
      files.push(bytes);
      tensors.push(`{${head(shape)},"parameters":{"binary_data_size":${bytes.byteLength}}}`);
      read.set(input.name, { dtype: input.dtype, shape, file, ...(isFile ? {} : { picture: value }) });
      continue;
    }
    const text =
      value.kind === "json"
        ? value.text
        : nestRows(
            input,
            value.rows.map((row) => element(input, row)),
          );
    const json = isFloat(input) ? spellNotFinite(text) : text;
    requireRange(input, json);
    const shape = shapeOf(input, json);
    const half = halfTypes.has(input.dtype) ? halves(input, json, shape) : undefined;
    if (half === undefined) tensors.push(`{${head(shape)},"data":${json}}`);
    else {
      binary.push(half);
      tensors.push(`{${head(shape)},"parameters":{"binary_data_size":${half.byteLength}}}`);
    }
    read.set(input.name, { dtype: input.dtype, shape, json });
  }
  const withParameters = (given: RequestParameters): RequestBody => {
    const more = Object.keys(given).length === 0 ? "" : `"parameters":${JSON.stringify(given)},`;
    const header = `{${more}"inputs":[${tensors.join(",")}]}`;
    const headerLength = new TextEncoder().encode(header).byteLength;
    const parts = [header, ...binary];
    return { parts, headerLength, files, values: read, parameters: given, withParameters };
  };
  return withParameters(parameters);
};

/** An element with its length before it. */
const fileTensor = ({ dims }: TensorView, content: Uint8Array) => {
  const bytes = new Uint8Array(content.byteLength + 4);
  new DataView(bytes.buffer).setUint32(0, content.byteLength, true);
  bytes.set(content, 4);
  return { shape: dims.map(() => 1), bytes };
};

/** Types that KServe v2 does not allow in JSON. */
export const halfTypes: ReadonlySet<string> = new Set(["FP16", "BF16"]);

/** Their elements as bytes; undefined if the lists do not have this shape, which the server reports. */
const halves = (
  { name, dtype }: TensorView,
  json: string,
  shape: readonly number[],
): Uint8Array<ArrayBuffer> | undefined => {
  const elements = [parseNumbers(json)].flat(Infinity);
  if (!elements.every((element) => typeof element === "number"))
    throw new Error(`${name}: every element must be a number`);
  if (elements.length !== elementCount(shape)) return undefined;
  const { data } = tensorOf(dtype as "FP16" | "BF16", shape, elements);
  return Uint8Array.from(data as Uint8Array);
};

const isEmpty = (value: FieldValue): boolean =>
  (value.kind === "rows" && value.rows.every((row) => row === "")) ||
  (value.kind === "json" && value.text.trim() === "");

/** Elements in JSON, one per row, as nested lists. */
export const nestRows = ({ dims }: TensorView, elements: readonly string[]): string => {
  const batched = dims[0] === "batch";
  const depth = batched ? dims.length - 1 : dims.length;
  const rows = elements.map((one) => `${"[".repeat(depth)}${one}${"]".repeat(depth)}`);
  return batched ? `[${rows.join(", ")}]` : (rows[0] ?? "[]");
};

const element = (input: TensorView, text: string): string => {
  const { name, dtype, json } = input;
  const problem = json && jsonProblem(text, json);
  if (problem !== undefined) throw new JsonTextError(`${name}: ${problem}`);
  if (text === "" && choicesOf(input)?.includes("") === false)
    throw new Error(`${name}: choose a value in every row, or in none`);
  if (dtype === "BYTES") return JSON.stringify(text);
  const value = text.trim();
  if (dtype === "BOOL") return value === "true" || value === "1" ? "true" : "false";
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return value;
  if (isFloat({ dtype }) && /^(?:nan|-?inf(?:inity)?)$/i.test(value)) return value;
  throw new Error(`${name}: ${JSON.stringify(text)} is not a number`);
};

/** @throws Error for a number that is not a value of the input's integer type. */
const requireRange = ({ name, dtype }: TensorView, json: string): void => {
  const [, unsigned, bits] = /^(U?)INT(8|16|32|64)$/.exec(dtype) ?? [];
  if (bits === undefined) return;
  const top = 2n ** BigInt(unsigned === "U" ? Number(bits) : Number(bits) - 1);
  const least = unsigned === "U" ? 0n : -top;
  for (const [token] of json.matchAll(/[-\d][\d.eE+-]*/g)) {
    const fits = /^-?\d+$/.test(token) && BigInt(token) >= least && BigInt(token) < top;
    if (!fits) throw new Error(`${name}: ${token} is not a whole number from ${least} to ${top - 1n}`);
  }
};

const isFloat = ({ dtype }: Pick<TensorView, "dtype">): boolean => /^(?:FP|BF)/.test(dtype);

/** The sizes of nested lists; leading sizes of 1 may be left out. */
const shapeOf = (input: TensorView, json: string): readonly number[] => {
  let value: unknown;
  try {
    value = isFloat(input) ? parseNumbers(json) : JSON.parse(json);
  } catch {
    throw new Error(
      `${input.name}: expected JSON, such as ${zeros(input).slice(0, 60) || "[[0, 0], [0, 0]]"}`,
    );
  }
  const shape: number[] = [];
  for (let item = value; Array.isArray(item); item = item[0]) shape.push(item.length);
  while (shape.length < input.dims.length) shape.unshift(1);
  return shape;
};
