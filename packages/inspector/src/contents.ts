import {
  decodeUtf8,
  type FixedTensor,
  halfToNumber,
  bfloat16ToNumber,
  type NamedTensors,
  rawSize,
  type TensorData,
  type TypedArray,
  typedArrayOf,
} from "@tritype/core";
import type { Content, Element, Figures } from "./api.ts";
import { mediaType } from "./media-type.ts";
import { mayBePicture, pictureOf } from "./picture.ts";

/** Largest number of elements of a tensor that the page gets. */
export const mostElements = 4096;
/** Largest number of characters of one string that the page gets. */
const longestText = 20_000;
/** Largest number of elements from which a tensor's statistics are computed. */
const mostCounted = 2 ** 22;
const longestMedia = 4 * 2 ** 20;

export const contentsOf = (tensors: NamedTensors): readonly Content[] =>
  [...tensors].map(([name, tensor]) => shownContentOf(name, tensor));

/** The tensors of numbers that look like pictures. */
export const picturesIn = (tensors: NamedTensors): readonly Content[] =>
  [...tensors].flatMap(([name, tensor]) => {
    const content = mayBePicture(tensor.dtype, tensor.shape) ? shownContentOf(name, tensor) : undefined;
    return content?.picture === undefined ? [] : [content];
  });

/** The content of a tensor, also as a picture. */
export const shownContentOf = (name: string, tensor: TensorData): Content => {
  const content = contentOf(name, tensor);
  if (tensor.dtype === "BYTES" || content.figures === undefined) return content;
  const { dtype, shape, figures } = content;
  const picture = pictureOf({ dtype, shape, figures, numberAt: reader(tensor.dtype, typedArrayOf(tensor)) });
  return picture === undefined ? content : { ...content, picture };
};

/** The bytes of the elements, without the lengths that precede BYTES elements in a request: users do not see those. */
export const sizeOf = (tensor: TensorData): number =>
  tensor.dtype === "BYTES"
    ? tensor.data.reduce((size, { byteLength }) => size + byteLength, 0)
    : rawSize(tensor);

/** The first elements of a tensor, and statistics of its numbers. */
export const contentOf = (name: string, tensor: TensorData): Content => {
  const { dtype, shape } = tensor;
  const whole = { name, dtype, shape, bytes: sizeOf(tensor) };
  if (tensor.dtype === "BYTES") {
    const shown = tensor.data.slice(0, mostElements);
    const [first] = tensor.data;
    const type = first === undefined || first.byteLength > longestMedia ? undefined : mediaType(first);
    if (type !== undefined && first !== undefined)
      return { ...whole, elements: [], media: { type, base64: Buffer.from(first).toString("base64") } };
    const cut = shown.some(({ byteLength }) => byteLength > longestText);
    const elements = shown.map((element) => decodeUtf8(element.subarray(0, longestText)));
    return { ...whole, elements, ...(cut ? { cut } : {}) };
  }
  const array = typedArrayOf(tensor);
  const numberAt = reader(tensor.dtype, array);
  const elements = Array.from({ length: Math.min(array.length, mostElements) }, (_, i) =>
    tensor.dtype === "BOOL" ? array[i] !== 0 : elementOf(numberAt(i), array[i]),
  );
  const count = Math.min(array.length, mostCounted);
  return count === 0 ? { ...whole, elements } : { ...whole, elements, figures: figuresOf(numberAt, count) };
};

const elementOf = (value: number, raw: number | bigint | undefined): Element =>
  typeof raw === "bigint" && !Number.isSafeInteger(value)
    ? String(raw)
    : Number.isFinite(value)
      ? value
      : String(value);

const reader = (dtype: FixedTensor["dtype"], array: TypedArray): ((index: number) => number) => {
  if (dtype === "FP16") return (i) => halfToNumber(Number(array[i]));
  if (dtype === "BF16") return (i) => bfloat16ToNumber(Number(array[i]));
  return (i) => Number(array[i]);
};

const bins = 32;

const figuresOf = (numberAt: (index: number) => number, counted: number): Figures => {
  let [min, max, sum, squares, zeros, nan, infinite] = [Infinity, -Infinity, 0, 0, 0, 0, 0];
  for (let i = 0; i < counted; i++) {
    const value = numberAt(i);
    if (Number.isNaN(value)) nan++;
    else if (!Number.isFinite(value)) infinite++;
    else {
      if (value < min) min = value;
      if (value > max) max = value;
      if (value === 0) zeros++;
      sum += value;
      squares += value * value;
    }
  }
  const finite = counted - nan - infinite;
  const histogram = Array.from({ length: bins }, () => 0);
  const scale = max > min ? bins / (max - min) : 0;
  if (finite > 0)
    for (let i = 0; i < counted; i++) {
      const value = numberAt(i);
      if (!Number.isFinite(value)) continue;
      const bin = Math.min(bins - 1, Math.floor((value - min) * scale));
      histogram[bin] = (histogram[bin] ?? 0) + 1;
    }
  const mean = finite === 0 ? 0 : sum / finite;
  const variance = finite === 0 ? 0 : Math.max(0, squares / finite - mean * mean);
  return {
    counted,
    min: finite === 0 ? 0 : min,
    max: finite === 0 ? 0 : max,
    mean,
    deviation: Math.sqrt(variance),
    zeros,
    nan,
    infinite,
    histogram: finite === 0 ? [] : histogram,
  };
};
