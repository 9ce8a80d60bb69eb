import { type DType, meanOf } from "@tritype/core";
import type { Content, Figures, Picture, PictureLayout, PictureScale } from "./api.ts";
import { encodePng } from "./png.ts";
import { imageNet, smallestSide } from "./view/picture-input.ts";

/** If one side is more than this many times the other, the tensor is more likely a list of vectors. */
const longest = 8;
/** Maximum number of pictures of one tensor that the page gets. */
const mostRows = 16;
/** Pixels of all of these pictures together; larger ones are downsampled. */
const mostPixels = 2 ** 18;

/** The numbers of a tensor. */
export interface Numbers extends Pick<Content, "dtype" | "shape"> {
  readonly figures: Figures;
  readonly numberAt: (index: number) => number;
}

/** A tensor that looks like a picture, or like several; undefined for all others. */
export const pictureOf = ({ dtype, shape, figures, numberAt }: Numbers): Picture | undefined => {
  const form = formOf(dtype, shape);
  if (form === undefined || figures.nan + figures.infinite > 0) return undefined;
  const { width, height, channels, layout, total } = form;
  const valueAt: ValueAt = (row, y, x, channel) => numberAt(indexIn(form, row, y, x, channel));
  // Bytes with three channels are hardly ever anything else.
  if (!(dtype === "UINT8" && channels === 3) && !isSmooth(form, valueAt)) return undefined;
  const rows = Math.min(total, mostRows);
  const step = Math.ceil(Math.sqrt((rows * height * width) / mostPixels));
  const [lines, columns] = [Math.ceil(height / step), Math.ceil(width / step)];
  const sampled = Array.from({ length: rows }, (_, row) => {
    const values = new Float64Array(lines * columns * channels);
    let at = 0;
    for (let y = 0; y < height; y += step)
      for (let x = 0; x < width; x += step)
        for (let channel = 0; channel < channels; channel++) values[at++] = valueAt(row, y, x, channel);
    return values;
  });
  const scale = scaleOf(dtype, channels, figures, sampled);
  const shadeOf = shades(scale);
  return {
    width,
    height,
    channels,
    layout,
    total,
    step,
    scale,
    rows: sampled.map((numbers) => {
      const values = Uint8Array.from(numbers, (number, at) => shadeOf(number, at % channels));
      return encodePng({ width: columns, height: lines, channels, values }).toString("base64");
    }),
  };
};

/** Whether a tensor may be a picture, so that its numbers are worth reading. */
export const mayBePicture = (dtype: DType, shape: readonly number[]): boolean =>
  formOf(dtype, shape) !== undefined;

type Form = Pick<Picture, "width" | "height" | "channels" | "layout" | "total">;

type ValueAt = (row: number, y: number, x: number, channel: number) => number;

const indexIn = (
  { width, height, channels, layout }: Form,
  row: number,
  y: number,
  x: number,
  channel: number,
): number => {
  const before = row * height * width * channels;
  return layout === "channels first"
    ? before + (channel * height + y) * width + x
    : before + (y * width + x) * channels + channel;
};

const formOf = (dtype: Content["dtype"], shape: readonly number[]): Form | undefined =>
  formsOf(shape).find(
    ({ width, height, channels, layout }) =>
      Math.min(width, height) >= smallestSide &&
      Math.max(width, height) <= longest * Math.min(width, height) &&
      (isReal(dtype) || channels === 1) &&
      dtype !== "BYTES" &&
      // A matrix of other numbers is more likely a batch of vectors.
      (dtype === "UINT8" || layout !== "no channels"),
  );

const isFloat = (dtype: string): boolean => /^(?:FP|BF)/.test(dtype);
const isReal = (dtype: string): boolean => dtype === "UINT8" || isFloat(dtype);

const formsOf = (shape: readonly number[]): readonly Form[] => {
  const [a = 0, b = 0, c = 0, d = 0] = shape;
  const inner = (
    total: number,
    [height = 0, width = 0]: readonly number[],
    channels: number,
    layout: PictureLayout,
  ): readonly Form[] =>
    channels === 1 || channels === 3 ? [{ width, height, channels, layout, total }] : [];
  if (shape.length === 2) return inner(1, [a, b], 1, "no channels");
  if (shape.length === 3)
    return [
      ...inner(1, [a, b], c, "channels last"),
      ...inner(1, [b, c], a, "channels first"),
      ...inner(a, [b, c], 1, "no channels"),
    ];
  if (shape.length !== 4 || a === 0) return [];
  return [...inner(a, [b, c], d, "channels last"), ...inner(a, [c, d], b, "channels first")];
};

const mostSampled = 4096;
/** Independent values differ from their neighbours by 1.4 times their mean deviation, those of pictures by far less. */
const mostDifference = 0.8;

/** Whether neighbouring values are similar, in both directions. Hidden states and scores are not. */
const isSmooth = ({ width, height, channels }: Form, valueAt: ValueAt): boolean => {
  const step = Math.ceil(Math.sqrt((height * width * channels) / mostSampled));
  const values: number[] = [];
  let [across, down] = [0, 0];
  for (let channel = 0; channel < channels; channel++)
    for (let y = 0; y + 1 < height; y += step)
      for (let x = 0; x + 1 < width; x += step) {
        const value = valueAt(0, y, x, channel);
        across += Math.abs(valueAt(0, y, x + 1, channel) - value);
        down += Math.abs(valueAt(0, y + 1, x, channel) - value);
        values.push(value);
      }
  const mean = meanOf(values);
  const deviation = values.reduce((sum, value) => sum + Math.abs(value - mean), 0);
  return Math.max(across, down) < mostDifference * deviation;
};

const scaleOf = (
  dtype: Content["dtype"],
  channels: 1 | 3,
  { min, max }: Figures,
  sampled: readonly Float64Array[],
): PictureScale => {
  if (dtype === "BOOL" || (isFloat(dtype) && min >= 0 && max <= 1))
    return { kind: "fixed", black: 0, white: 1 };
  if (isFloat(dtype) && min >= -1 && max <= 1) return { kind: "fixed", black: -1, white: 1 };
  // Smaller numbers are more likely classes.
  const isByte = isReal(dtype) && min >= 0 && max <= 255 && max >= 32;
  if (isByte || (dtype === "UINT8" && channels === 3)) return { kind: "fixed", black: 0, white: 255 };
  const isNormalized =
    channels === 3 &&
    sampled.every((values) =>
      values.every((value, at) => {
        const original = undoImageNet(value, at % 3);
        return original > -0.01 && original < 1.01;
      }),
    );
  return isNormalized ? { kind: "imagenet" } : { kind: "range", black: min, white: max };
};

const undoImageNet = (value: number, channel: number): number =>
  value * (imageNet.deviation[channel] ?? 1) + (imageNet.mean[channel] ?? 0);

const shades = (scale: PictureScale): ((value: number, channel: number) => number) => {
  const byte = (fraction: number): number => Math.round(Math.min(1, Math.max(0, fraction)) * 255);
  if (scale.kind === "imagenet") return (value, channel) => byte(undoImageNet(value, channel));
  const { black, white } = scale;
  return (value) => byte((value - black) / (white - black));
};
