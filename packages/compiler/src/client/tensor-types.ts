import type { ManifestTensor } from "@tritype/manifest";

/** The TypeScript types of an element in a request, of an element in a response, and of an array of elements. */
interface Element {
  readonly given: string;
  readonly got: string;
  readonly array: string;
}

const numbers = (array: string): Element => ({ given: "number", got: "number", array });
const bigints = (array: string): Element => ({ given: "bigint | number", got: "bigint", array });

/** The same types as `InferInputs` and `InferOutputs` of `tritype`. */
const elements: Readonly<Record<string, Element>> = {
  BOOL: { given: "boolean", got: "boolean", array: "readonly boolean[]" },
  UINT8: numbers("Uint8Array"),
  UINT16: numbers("Uint16Array"),
  UINT32: numbers("Uint32Array"),
  UINT64: bigints("BigUint64Array"),
  INT8: numbers("Int8Array"),
  INT16: numbers("Int16Array"),
  INT32: numbers("Int32Array"),
  INT64: bigints("BigInt64Array"),
  FP16: numbers("Float32Array"),
  BF16: numbers("Float32Array"),
  FP32: numbers("Float32Array"),
  FP64: numbers("Float64Array"),
  BYTES: { given: "string | Uint8Array", got: "string", array: "readonly string[]" },
};
const elementOf = ({ dtype }: ManifestTensor): Element => elements[dtype] ?? numbers("unknown");

/** The TypeScript type of an input in a request. */
export const inputType = (tensor: ManifestTensor): string => {
  const { given, array } = elementOf(tensor);
  const list = listOf(given);
  const data = array.startsWith("readonly ") ? list : `${array} | ${list}`;
  return `${nested(given, tensor)} | Elements<${data}>`;
};

/** The TypeScript type of an output. */
export const outputType = (tensor: ManifestTensor): string => {
  const { got, array } = elementOf(tensor);
  const shape = tensor.dims.map((dim) => (typeof dim === "number" && dim >= 0 ? String(dim) : "number"));
  return `Tensor<${JSON.stringify(tensor.dtype)}, ${array}, readonly [${shape.join(", ")}], ${nested(got, tensor)}>`;
};

/** Nested arrays without the size-1 dims after the first. */
const nested = (element: string, { dims }: ManifestTensor): string =>
  dims.filter((dim, axis) => axis === 0 || dim !== 1).reduce<string>(listOf, element);

const listOf = (element: string): string => `readonly ${element.includes(" ") ? `(${element})` : element}[]`;
