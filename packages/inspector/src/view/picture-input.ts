import { type DType, tensorOf } from "@tritype/core";
import type { Picture, PictureLayout, TensorView } from "../api.ts";

/** The mean and the deviation of ImageNet's red, green and blue, with which most vision models are trained. */
export const imageNet = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] } as const;

/** A side below this is more likely a number of classes, coordinates or tokens. */
export const smallestSide = 16;

/** The longer side of a picture in pixels for an input whose height and width are variable. */
const longestSide = 640;

type Size = Pick<Picture, "width" | "height">;

type Dim = TensorView["dims"][number];

/** The form of the pictures that an input takes. */
export interface PictureForm {
  readonly layout: Exclude<PictureLayout, "no channels">;
  readonly channels: 1 | 3;
  readonly height: Dim;
  readonly width: Dim;
}

/** The mapping of bytes to the values of a tensor. */
export type PictureScaling = "fractions" | "signed" | "imagenet" | "bytes" | "shifted";

/** A picture for a numeric input. */
export interface PictureValue {
  readonly kind: "picture";
  readonly name: string;
  readonly type: string;
  /** The file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The size of the picture in the file. */
  readonly size: Size;
  readonly isScaled: boolean;
  readonly isTransparent: boolean;
  readonly form: PictureForm;
  /** Bytes in the size of the tensor, with the channels of a pixel next to each other. */
  readonly pixels: Size & { readonly values: Uint8Array };
  readonly scaling: PictureScaling;
}

/** undefined for an input that does not take pictures. */
export const pictureForm = ({ dtype, dims }: TensorView): PictureForm | undefined => {
  const takesOne = dims.length === 4 ? dims[0] === 1 || isVariable(dims[0]) : dims[0] !== "batch";
  const [a = 0, b = 0, c = 0, ...more] = dims.length === 4 ? dims.slice(1) : dims;
  if (dtype === "BYTES" || dtype === "BOOL" || !takesOne || more.length > 0) return undefined;
  const forms = [
    { layout: "channels first", channels: a, height: b, width: c },
    { layout: "channels last", channels: c, height: a, width: b },
  ] as const;
  return forms.find(
    (form): form is typeof form & PictureForm =>
      (form.channels === 1 || form.channels === 3) && isSide(form.height) && isSide(form.width),
  );
};

const isVariable = (dim: Dim | undefined): boolean => typeof dim === "string" || dim === -1;
const isSide = (dim: Dim): boolean => isVariable(dim) || Number(dim) >= smallestSide;

interface Scaling {
  readonly text: string;
  readonly valueOf: (byte: number, channel: number) => number;
  /** The same as a Python expression for an array `x`; `x` occurs in it exactly once. */
  readonly python: string;
}
const { mean, deviation } = imageNet;

export const pictureScalings: Readonly<Record<PictureScaling, Scaling>> = {
  fractions: { text: "0 to 1", valueOf: (byte) => byte / 255, python: "x / 255" },
  signed: { text: "-1 to 1", valueOf: (byte) => byte / 127.5 - 1, python: "x / 127.5 - 1" },
  imagenet: {
    text: "ImageNet's mean and standard deviation",
    valueOf: (byte, channel) => (byte / 255 - (mean[channel] ?? 0)) / (deviation[channel] ?? 1),
    python: `(x / 255 - [${mean.join(", ")}]) / [${deviation.join(", ")}]`,
  },
  bytes: { text: "0 to 255", valueOf: (byte) => byte, python: "x" },
  shifted: { text: "-128 to 127", valueOf: (byte) => byte - 128, python: "x - 128" },
};

/** The scalings that an input can have, the default first. */
export const scalingsOf = (dtype: string, { channels }: PictureForm): readonly PictureScaling[] => {
  if (dtype === "INT8") return ["shifted"];
  if (!/^(?:FP|BF)/.test(dtype)) return ["bytes"];
  return channels === 3 ? ["fractions", "signed", "imagenet", "bytes"] : ["fractions", "signed", "bytes"];
};

/** The pixels of a decoded picture in the form of an input: on white, gray for one channel, and scaled. */
export const pixelsFor = (
  form: PictureForm,
  { width, height, data }: Size & { readonly data: Uint8ClampedArray },
): Pick<PictureValue, "size" | "isScaled" | "isTransparent" | "pixels"> => {
  const colours = new Uint8Array(width * height * 3);
  for (let at = 0; at < colours.length; at++) {
    const pixel = Math.floor(at / 3) * 4;
    const alpha = data[pixel + 3] ?? 255;
    colours[at] = Math.round(((data[pixel + (at % 3)] ?? 0) * alpha + 255 * (255 - alpha)) / 255);
  }
  const target = sizeFor(form, { width, height });
  const wide = resized(colours, height, width, target.width, 3);
  const scaled = resized(wide, 1, height, target.height, target.width * 3);
  return {
    size: { width, height },
    isScaled: target.width !== width || target.height !== height,
    isTransparent: data.some((value, at) => at % 4 === 3 && value < 255),
    pixels: { ...target, values: form.channels === 3 ? scaled : greyOf(scaled) },
  };
};

/** Gray as Pillow computes it, with the same precision. */
const greyOf = (colours: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: colours.length / 3 }, (_, pixel) => {
    const [red = 0, green = 0, blue = 0] = colours.subarray(pixel * 3, pixel * 3 + 3);
    return (red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16;
  });

const sizeFor = (form: PictureForm, size: Size): Size => {
  const [height, width] = [form.height, form.width].map((dim) => (isVariable(dim) ? 0 : Number(dim)));
  const whole = Math.min(1, longestSide / Math.max(size.width, size.height));
  const factor = height ? height / size.height : width ? width / size.width : whole;
  const side = (length: number): number => Math.max(1, Math.round(length * factor));
  return { width: width || side(size.width), height: height || side(size.height) };
};

/** Resizes the middle one of three dims like Pillow's `BILINEAR`, with which most models are trained. */
const resized = (values: Uint8Array, outer: number, from: number, to: number, inner: number): Uint8Array => {
  if (from === to) return values;
  const result = new Uint8Array(outer * to * inner);
  const step = from / to;
  const reach = Math.max(1, step);
  for (let place = 0; place < to; place++) {
    const centre = (place + 0.5) * step;
    const first = Math.max(0, Math.floor(centre - reach + 0.5));
    const end = Math.min(from, Math.floor(centre + reach + 0.5));
    const weights = Array.from({ length: end - first }, (_, index) =>
      Math.max(0, 1 - Math.abs((first + index - centre + 0.5) / reach)),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (let before = 0; before < outer; before++)
      for (let after = 0; after < inner; after++) {
        let sum = 0;
        let at = (before * from + first) * inner + after;
        for (let index = 0; index < weights.length; index++, at += inner)
          sum += (weights[index] ?? 0) * (values[at] ?? 0);
        result[(before * to + place) * inner + after] = Math.floor(sum / total + 0.5);
      }
  }
  return result;
};

/** The shape of the tensor, with 1 as the batch, and its elements as bytes. */
export const pictureTensor = (
  { dtype, dims }: TensorView,
  { form: { layout, channels }, pixels: { width, height, values }, scaling }: PictureValue,
): { readonly shape: readonly number[]; readonly bytes: Uint8Array<ArrayBuffer> } => {
  const tables = Array.from({ length: channels }, (_, channel) => {
    const numbers = Array.from({ length: 256 }, (__, byte) =>
      pictureScalings[scaling].valueOf(byte, channel),
    );
    return tensorOf(dtype as DType, [256], numbers).data as Uint8Array;
  });
  const size = (tables[0]?.length ?? 0) / 256;
  const bytes = new Uint8Array(values.length * size);
  for (const [index, byte] of values.entries()) {
    const channel = index % channels;
    const at = layout === "channels first" ? channel * width * height + (index - channel) / channels : index;
    for (let part = 0; part < size; part++)
      bytes[at * size + part] = tables[channel]?.[byte * size + part] ?? 0;
  }
  const inner = layout === "channels first" ? [channels, height, width] : [height, width, channels];
  return { shape: dims.length === 4 ? [1, ...inner] : inner, bytes };
};
