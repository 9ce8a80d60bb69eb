import { packByteStrings } from "@tritype/core";
import { tryEncodeText } from "./byte-strings.ts";
import { ClientError } from "./client-error.ts";
import { type Contract, type Dim, nestedDims, showType, type TensorType, wireType } from "./contract.ts";
import { elementCount, packElements, travelsAsItIs } from "./elements.ts";
import type { WireTensor } from "./transport.ts";
import { isList, wordFor } from "./word-for.ts";

/**
 * The inputs of a request in wire format, in the contract's order.
 * @throws ClientError `invalid` for names, nesting, sizes and elements that do not fit.
 */
export const encodeInputs = (contract: Contract, values: unknown): readonly WireTensor[] => {
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw new ClientError(
      "invalid",
      `${contract.name} takes an object of inputs: { ${listOf(contract.inputs)} }`,
    );
  const given = new Map(Object.entries(values).filter(([, value]) => value !== undefined));
  for (const name of given.keys())
    if (!Object.hasOwn(contract.inputs, name))
      throw new ClientError(
        "invalid",
        `${contract.name} has no input \`${name}\`; its inputs are ${listOf(contract.inputs)}`,
        { tensor: name },
      );
  const sizes: Sizes = new Map();
  return Object.entries(contract.inputs).flatMap(([name, type]) => {
    if (given.has(name)) return [encodeInput({ name, type: wireType(type) }, given.get(name), sizes)];
    if (type.optional === true) return [];
    const expected = showType(type);
    throw new ClientError("invalid", `input \`${name}\` of ${contract.name} is missing: ${expected}`, {
      tensor: name,
      expected,
    });
  });
};

/** Name of a dim → its size, and the input that determined it. */
type Sizes = Map<string, { readonly size: number; readonly input: string }>;

interface Input {
  readonly name: string;
  readonly type: TensorType;
}

const listOf = (signature: Contract["inputs"]): string =>
  Object.entries(signature)
    .map(([name, type]) => `${name}: ${showType(type)}`)
    .join(", ");

const misfit = ({ name, type }: Input, got: string): ClientError => {
  const expected = showType(type);
  return new ClientError("invalid", `input \`${name}\`: expected ${expected}, got ${got}`, {
    tensor: name,
    expected,
    got,
  });
};

const encodeInput = (input: Input, value: unknown, sizes: Sizes): WireTensor => {
  const { shape, elements } = isElements(value) ? flat(input, value) : nested(input, value);
  requireSizes(input, shape, sizes);
  if (shape[0] === 0 && input.type.dims[0] === "batch") throw misfit(input, "no rows");
  return { name: input.name, dtype: input.type.dtype, shape, data: bytesOf(input, shape, elements) };
};

interface Flat {
  readonly shape: readonly number[];
  readonly elements: ArrayLike<unknown>;
}

const isElements = (value: unknown): value is { readonly data: unknown; readonly shape: unknown } =>
  typeof value === "object" && value !== null && "data" in value && "shape" in value;

/** Elements with their shape; the shape may leave out the size-1 dims after the first. */
const flat = (input: Input, { data, shape }: { readonly data: unknown; readonly shape: unknown }): Flat => {
  const { dims } = input.type;
  const isShape = (x: unknown): x is readonly number[] =>
    Array.isArray(x) && x.every((size) => Number.isSafeInteger(size) && size >= 0);
  if (!isShape(shape))
    throw misfit(
      input,
      `the shape ${Array.isArray(shape) ? `[${shape.map(wordFor).join(", ")}]` : wordFor(shape)}`,
    );
  if (!isList(data)) throw misfit(input, `${wordFor(data)} as \`data\``);
  const kept = nestedDims(dims);
  const full =
    shape.length === dims.length || shape.length !== kept.length
      ? shape
      : dims.map((_, axis) => shape[kept.indexOf(axis)] ?? 1);
  const count = elementCount(full);
  if (data.length !== count)
    throw misfit(input, `${data.length} elements for the shape [${shape.join(", ")}], which has ${count}`);
  return { shape: full, elements: data };
};

const nested = (input: Input, value: unknown): Flat => {
  const { dims } = input.type;
  const kept = nestedDims(dims);
  const sizes: (number | undefined)[] = kept.map(() => undefined);
  const elements: unknown[] = [];
  const visit = (item: unknown, path: readonly number[]): void => {
    const depth = path.length;
    if (depth === kept.length) {
      elements.push(item);
      return;
    }
    const isBinary = input.type.dtype === "BYTES" && item instanceof Uint8Array;
    if (isBinary || !isList(item))
      throw misfit(
        input,
        `${isBinary ? "a Uint8Array" : wordFor(item)} at ${showPath(input, path)}, where a list is expected`,
      );
    if (sizes[depth] !== undefined && sizes[depth] !== item.length)
      throw misfit(
        input,
        `lists of different lengths: ${showPath(input, path)} has ${item.length}, those before it ${sizes[depth]}`,
      );
    sizes[depth] = item.length;
    for (let index = 0; index < item.length; index++) visit(item[index], [...path, index]);
  };
  visit(value, []);
  const shape = dims.map((dim, axis) => {
    const size = kept.includes(axis) ? sizes[kept.indexOf(axis)] : 1;
    return size ?? (typeof dim === "number" && dim >= 0 ? dim : 0);
  });
  return { shape, elements };
};

/** Checks literal sizes, and that dims with equal names have equal sizes, in all inputs. */
const requireSizes = (input: Input, shape: readonly number[], sizes: Sizes): void => {
  const { dims } = input.type;
  const got = `[${shape.join(", ")}]`;
  if (shape.length !== dims.length) throw misfit(input, got);
  dims.forEach((dim: Dim, axis) => {
    const size = shape[axis] ?? 0;
    if (typeof dim === "number") {
      if (dim >= 0 && dim !== size) throw misfit(input, got);
      return;
    }
    const known = sizes.get(dim);
    if (known === undefined) sizes.set(dim, { size, input: input.name });
    else if (known.size !== size)
      throw misfit(input, `${got}: ${dim} is ${size} here and ${known.size} in \`${known.input}\``);
  });
};

const bytesOf = (
  input: Input,
  shape: readonly number[],
  elements: ArrayLike<unknown>,
): Uint8Array<ArrayBuffer> => {
  const { dtype } = input.type;
  if (travelsAsItIs(dtype, elements))
    return new Uint8Array(elements.buffer as ArrayBuffer, elements.byteOffset, elements.byteLength);
  if (dtype === "BYTES")
    return packByteStrings(
      Array.from(elements, (element, index) => byteString(input, shape, element, index)),
    );
  return packElements(dtype, elements, (index, words) =>
    misfit(
      input,
      `${wordFor(elements[index])} at ${showIndex(input, shape, index)}, where ${words} is expected`,
    ),
  );
};

const byteString = (input: Input, shape: readonly number[], element: unknown, index: number): Uint8Array => {
  if (element instanceof Uint8Array) return element;
  if (typeof element !== "string")
    throw misfit(
      input,
      `${wordFor(element)} at ${showIndex(input, shape, index)}, where text or a Uint8Array is expected`,
    );
  const bytes = tryEncodeText(element);
  if (bytes === undefined)
    throw misfit(input, `a lone surrogate at ${showIndex(input, shape, index)}, which is not text`);
  return bytes;
};

const showPath = ({ name }: Input, path: readonly number[]): string =>
  `${name}${path.map((index) => `[${index}]`).join("")}`;

/** The element's position in nested arrays. */
const showIndex = (input: Input, shape: readonly number[], index: number): string => {
  const path: number[] = [];
  let rest = index;
  for (const axis of nestedDims(input.type.dims).toReversed()) {
    const size = shape[axis] ?? 1;
    path.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return showPath(input, path);
};
