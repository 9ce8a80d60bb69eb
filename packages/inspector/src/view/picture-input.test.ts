import { type DType, elementCount, tensorOf, valuesOf } from "@tritype/core";
import { expect, test } from "vitest";
import type { TensorView } from "../api.ts";
import {
  pictureForm,
  type PictureScaling,
  pictureScalings,
  pictureTensor,
  pixelsFor,
  scalingsOf,
} from "./picture-input.ts";

const input = (dtype: string, ...dims: readonly (number | string)[]): TensorView => ({
  name: "x",
  dtype,
  dims,
});

type Colour = readonly [red: number, green: number, blue: number, alpha?: number];
const pictureOf = (width: number, height: number, colourAt: (x: number, y: number) => Colour) => ({
  width,
  height,
  data: Uint8ClampedArray.from(
    Array.from({ length: width * height }, (_, at) => {
      const [red, green, blue, alpha = 255] = colourAt(at % width, Math.floor(at / width));
      return [red, green, blue, alpha];
    }).flat(),
  ),
});

/** The tensor of a picture. */
const made = (view: TensorView, picture: ReturnType<typeof pictureOf>, scaling?: PictureScaling) => {
  const form = pictureForm(view);
  if (form === undefined) throw new Error("not a picture");
  const file = { kind: "picture", name: "a.png", type: "image/png", bytes: new Uint8Array() } as const;
  const [first = "bytes"] = scalingsOf(view.dtype, form);
  const value = { ...file, form, scaling: scaling ?? first, ...pixelsFor(form, picture) };
  const { shape, bytes } = pictureTensor(view, value);
  const tensor = tensorOf(view.dtype as DType, shape, Array<number>(elementCount(shape)).fill(0));
  return {
    ...value,
    shape,
    values: valuesOf({ ...tensor, data: bytes } as typeof tensor),
  };
};

test.each([
  ["FP32", ["batch", 3, 224, 224], { layout: "channels first", channels: 3, height: 224, width: 224 }],
  ["UINT8", ["batch", 20, 30, 3], { layout: "channels last", channels: 3, height: 20, width: 30 }],
  ["FP16", [1, -1, "width", 1], { layout: "channels last", channels: 1, height: -1, width: "width" }],
  ["INT8", [3, -1, 30], { layout: "channels first", channels: 3, height: -1, width: 30 }],
  ["FP32", ["batch", 20, 3], undefined],
  ["FP32", ["batch", 30, 20], undefined],
  ["FP32", ["batch", -1, -1, -1], undefined],
  ["FP32", [4, 3, 224, 224], undefined],
  ["FP32", ["batch", 3, 8, 8], undefined],
  ["FP32", ["batch", 1, 3, 224, 224], undefined],
  ["BYTES", [3, 224, 224], undefined],
  ["BOOL", [1, 224, 224], undefined],
] as const)("%s%j takes pictures of this form: %o", (dtype, dims, form) => {
  expect(pictureForm(input(dtype, ...dims))).toEqual(form);
});

const sides = pictureOf(20, 16, (x) => (x < 10 ? [255, 0, 51] : [0, 102, 255]));

test("channels are first or last, as the dims say", () => {
  const first = made(input("UINT8", "batch", 3, 16, 20), sides);
  expect(first.shape).toEqual([1, 3, 16, 20]);
  expect([0, 19, 320, 339, 640, 659].map((at) => first.values[at])).toEqual([255, 0, 0, 102, 51, 255]);
  const last = made(input("UINT8", 16, 20, 3), sides);
  expect(last.shape).toEqual([16, 20, 3]);
  expect(last.values.slice(27, 33)).toEqual([255, 0, 51, 0, 102, 255]);
});

test.each([
  ["FP32", "fractions", [1, 0, 0.2]],
  ["FP64", "signed", [1, -1, -0.6]],
  ["FP64", "imagenet", [(1 - 0.485) / 0.229, -0.456 / 0.224, (0.2 - 0.406) / 0.225]],
  ["FP16", "bytes", [255, 0, 51]],
  ["BF16", "signed", [1, -1, -0.6]],
  ["INT8", "shifted", [127, -128, -77]],
  ["UINT8", "bytes", [255, 0, 51]],
  ["INT64", "bytes", [255n, 0n, 51n]],
] as const)("%s with the scaling %s", (dtype, scaling, wanted) => {
  const { values } = made(input(dtype, 16, 20, 3), sides, scaling);
  const exact = wanted.map((value) => valuesOf(tensorOf(dtype, [1], [value]))[0]);
  expect(values.slice(0, 3)).toEqual(exact);
});

test("floats are between 0 and 1 by default, and bytes stay bytes", () => {
  const texts = (dtype: string, channels: 1 | 3) =>
    scalingsOf(dtype, { layout: "channels last", channels, height: 16, width: 16 }).map(
      (one) => pictureScalings[one].text,
    );
  expect(texts("FP32", 3)).toEqual([
    "0 to 1",
    "-1 to 1",
    "ImageNet's mean and standard deviation",
    "0 to 255",
  ]);
  expect(texts("BF16", 1)).toEqual(["0 to 1", "-1 to 1", "0 to 255"]);
  expect(texts("UINT8", 3)).toEqual(["0 to 255"]);
  expect(texts("INT8", 3)).toEqual(["-128 to 127"]);
});

test("one channel is grey; transparent parts are white", () => {
  const { values, isTransparent } = made(
    input("UINT8", 1, 16, 20),
    pictureOf(20, 16, (x) => (x === 0 ? [0, 0, 0, 0] : x === 1 ? [0, 0, 0, 51] : [255, 0, 0])),
  );
  expect(values.slice(0, 3)).toEqual([255, 204, 76]);
  expect(isTransparent).toBe(true);
  expect(made(input("UINT8", 1, 16, 20), sides).isTransparent).toBe(false);
});

test.each([
  [
    [3, -1, -1],
    [1280, 20],
    [640, 10],
  ],
  [
    [3, -1, -1],
    [30, 20],
    [30, 20],
  ],
  [
    [3, -1, 90],
    [30, 20],
    [90, 60],
  ],
  [
    [40, -1, 3],
    [30, 20],
    [60, 40],
  ],
  [
    [3, 16, 16],
    [30, 20],
    [16, 16],
  ],
] as const)("an input %j gets a picture of %j as %j", (dims, [width, height], [wide, high]) => {
  const { pixels, size } = made(
    input("UINT8", ...dims),
    pictureOf(width, height, () => [7, 8, 9]),
  );
  expect([pixels.width, pixels.height]).toEqual([wide, high]);
  expect(size).toEqual({ width, height });
  expect(pixels.values).toHaveLength(wide * high * 3);
  expect([...pixels.values.subarray(-3)]).toEqual([7, 8, 9]);
});

test("a smaller picture is the mean of its pixels, weighted by distance, as in Pillow", () => {
  const steps = pictureOf(64, 16, (x) => [x % 2 === 0 ? 0 : 200, x * 4, 0]);
  const { values } = made(input("UINT8", 16, 16, 3), steps);
  // Image.fromarray(steps).resize((16, 16), Image.BILINEAR)
  expect(values.slice(0, 9)).toEqual([93, 8, 0, 100, 22, 0, 100, 38, 0]);
});
