import { type DType, tensorOf } from "@tritype/core";
import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Picture } from "./api.ts";
import { picturesIn } from "./contents.ts";

type NumberType = Exclude<DType, "BYTES">;

const pictureOf = (
  dtype: NumberType,
  shape: readonly number[],
  valueAt: (index: number) => number,
): Picture | undefined => {
  const count = shape.reduce((a, b) => a * b, 1);
  const values = Array.from({ length: count }, (_, i) => valueAt(i));
  const data =
    dtype === "BOOL"
      ? values.map(Boolean)
      : dtype.endsWith("64") && dtype !== "FP64"
        ? values.map(BigInt)
        : values;
  const [content] = picturesIn(new Map([["x", tensorOf(dtype, [...shape], data)]]));
  expect(content === undefined || content.elements.length > 0).toBe(true);
  return content?.picture;
};

/** Width, height and pixels of a PNG. */
const read = (base64 = "") => {
  const file = Buffer.from(base64, "base64");
  const pixels = inflateSync(file.subarray(41, 41 + file.readUInt32BE(33)));
  const [width, height, channels] = [file.readUInt32BE(16), file.readUInt32BE(20), file[25] === 2 ? 3 : 1];
  const line = 1 + width * channels;
  expect(pixels).toHaveLength(height * line);
  const pixel = (y: number, x: number) => {
    const at = y * line + 1 + x * channels;
    return [...pixels.subarray(at, at + channels)];
  };
  return { width, height, pixel };
};

/** A smooth picture with three channels at the end: light from left to right, each channel a bit lighter. */
const gradient = (i: number): number => ((Math.floor(i / 3) % 32) + (i % 3)) / 33;
/** The same with the channels in front. */
const planes = (i: number): number => ((i % 32) + Math.floor(i / 640)) / 33;
const noise = (i: number): number => Math.abs(Math.sin(i * 12.9898) * 43758.5453) % 1;

test("bytes with three channels at the end are a picture in color", () => {
  const made = pictureOf("UINT8", [20, 32, 3], (i) => i % 256);
  expect(made).toMatchObject({
    width: 32,
    height: 20,
    layout: "channels last",
    scale: { kind: "fixed", black: 0, white: 255 },
    step: 1,
    total: 1,
  });
  expect(read(made?.rows[0]).pixel(1, 2)).toEqual([102, 103, 104]);
});

test.each([
  ["between 0 and 1", 1, 0, { kind: "fixed", black: 0, white: 1 }],
  ["between -1 and 1", 2, -1, { kind: "fixed", black: -1, white: 1 }],
  ["between 0 and 255", 255, 0, { kind: "fixed", black: 0, white: 255 }],
  ["outside these limits", 40, -30, { kind: "range", black: -30, white: 10 }],
] as const)("floats %s, with the channels in front", (_, factor, offset, scale) => {
  const made = pictureOf("FP32", [3, 20, 32], (i) => planes(i) * factor + offset);
  expect(made).toMatchObject({ width: 32, height: 20, layout: "channels first", scale });
  const { pixel } = read(made?.rows[0]);
  expect([pixel(0, 0), pixel(19, 31)]).toEqual([
    [0, 8, 15],
    [240, 247, 255],
  ]);
});

test("values that ImageNet's mean and standard deviation explain are shown without them", () => {
  const [mean, deviation] = [
    [0.485, 0.456, 0.406],
    [0.229, 0.224, 0.225],
  ];
  const made = pictureOf(
    "FP16",
    [1, 20, 32, 3],
    (i) => (gradient(i) - (mean[i % 3] ?? 0)) / (deviation[i % 3] ?? 1),
  );
  expect(made).toMatchObject({ layout: "channels last", scale: { kind: "imagenet" } });
  const { pixel } = read(made?.rows[0]);
  expect([pixel(0, 0), pixel(19, 31)]).toEqual([
    [0, 8, 15],
    [240, 247, 255],
  ]);
});

test.each([
  ["UINT8", [20, 32], "no channels"],
  ["UINT8", [20, 32, 1], "channels last"],
  ["FP32", [1, 20, 32], "channels first"],
  ["BF16", [1, 1, 20, 32], "channels first"],
  ["BOOL", [20, 32, 1], "channels last"],
  ["INT64", [1, 20, 32], "channels first"],
] as const)("%s%j is grey", (dtype, shape, layout) => {
  const made = pictureOf(dtype, shape, (i) => (i % 32 < 16 ? 0 : 1));
  expect(made).toMatchObject({ width: 32, height: 20, layout, total: 1 });
  expect(made?.scale).toMatchObject({ black: 0, white: 1 });
  const { pixel } = read(made?.rows[0]);
  expect([pixel(3, 2), pixel(3, 20)]).toEqual([[0], [255]]);
});

test("the rows of a batch are separate pictures, the first 16 of them", () => {
  const made = pictureOf("UINT8", [18, 20, 32, 3], (i) => Math.floor(i / 1920));
  expect([made?.rows.length, made?.total]).toEqual([16, 18]);
  expect(read(made?.rows[15]).pixel(0, 0)).toEqual([15, 15, 15]);
});

const ramp = (i: number): number => (i % 32) / 32;
test.each([
  ["a thumbnail that may be anything", "UINT8", [15, 32, 3], ramp],
  ["a list of boxes", "FP32", [1, 100, 4], ramp],
  ["rows of scores", "FP32", [20, 32], ramp],
  ["token ids", "INT64", [20, 32], ramp],
  ["a token mask", "BOOL", [20, 32], ramp],
  ["a long sequence of vectors", "FP32", [1, 16, 160], ramp],
  ["hidden states of one row", "FP32", [1, 32, 64], noise],
  ["hidden states of three rows", "FP32", [3, 32, 64], noise],
  ["the attention of three heads", "FP32", [1, 3, 32, 32], noise],
  ["bytes that are not alike", "UINT8", [32, 32], (i: number) => Math.floor(noise(i) * 256)],
  ["one value everywhere", "FP32", [3, 32, 32], () => 0.5],
  ["a number that is not finite", "FP32", [3, 20, 32], (i: number) => (i === 7 ? Number.NaN : planes(i))],
  ["whole numbers with three channels", "INT64", [20, 32, 3], (i: number) => gradient(i) * 33],
  ["no rows", "UINT8", [0, 32, 32, 3], ramp],
] as const)("%s: not a picture", (_, dtype, shape, valueAt) => {
  expect(
    pictureOf(dtype, shape, (i) => (dtype.startsWith("INT") ? Math.round(valueAt(i)) : valueAt(i))),
  ).toBeUndefined();
});

test("large pictures are sampled down", () => {
  const made = pictureOf("UINT8", [700, 1030, 1], (i) => (i % 1030 >= 515 ? 250 : 100));
  expect(made).toMatchObject({ width: 1030, height: 700, step: 2 });
  const { width, height, pixel } = read(made?.rows[0]);
  expect([width, height, pixel(349, 257), pixel(349, 258)]).toEqual([515, 350, [100], [250]]);
});
