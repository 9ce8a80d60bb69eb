import type { Case } from "./case.ts";

const quantized = (values: number[]): unknown => {
  const scale = Math.max(...values.map(Math.abs)) / 127 || 1;
  const data = Int8Array.from(values, (x) => Math.round(x / scale));
  return {
    scale,
    data: Buffer.from(data.buffer).toString("base64"),
    back: [...data].map((x) => Math.fround(x * scale)),
  };
};

const MEAN = [0.485, 0.456, 0.406];
const STD = [0.229, 0.224, 0.225];

/** Height × width × channel of bytes to channel × height × width of floats. */
const normalise = ({
  pixels,
  width,
  height,
}: {
  pixels: number[];
  width: number;
  height: number;
}): unknown => {
  if (pixels.length !== width * height * 3)
    throw new RangeError(`${pixels.length} values for ${width}×${height} pixels`);
  const out = new Float32Array(pixels.length);
  for (let c = 0; c < 3; c++)
    for (let at = 0; at < width * height; at++)
      out[c * width * height + at] = (pixels[at * 3 + c]! / 255 - MEAN[c]!) / STD[c]!;
  return [...out];
};

const resize = ({
  image,
  width,
  height,
}: {
  image: number[][];
  width: number;
  height: number;
}): number[][] => {
  const [rows, columns] = [image.length, image[0]!.length];
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const [sy, sx] = [((y + 0.5) * rows) / height - 0.5, ((x + 0.5) * columns) / width - 0.5];
      const at = (i: number, j: number): number =>
        image[Math.min(rows - 1, Math.max(0, i))]![Math.min(columns - 1, Math.max(0, j))]!;
      const [fy, fx] = [sy - Math.floor(sy), sx - Math.floor(sx)];
      const [i, j] = [Math.floor(sy), Math.floor(sx)];
      return (
        (at(i, j) * (1 - fx) + at(i, j + 1) * fx) * (1 - fy) +
        (at(i + 1, j) * (1 - fx) + at(i + 1, j + 1) * fx) * fy
      );
    }),
  );
};

const letterbox = ({ width, height, size }: { width: number; height: number; size: number }): unknown => {
  const scale = Math.min(size / width, size / height);
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  return { scale, w, h, left: (size - w) >> 1, top: (size - h) >> 1 };
};

const padded = ({ rows, value = 0 }: { rows: number[][]; value?: number }): unknown => {
  const length = Math.max(0, ...rows.map((row) => row.length));
  return {
    ids: rows.map((row) => [...row, ...Array<number>(length - row.length).fill(value)]),
    mask: rows.map((row) => Array.from({ length }, (_, at) => Number(at < row.length))),
  };
};

const oneHot = ({ ids, depth }: { ids: number[]; depth: number }): number[][] =>
  ids.map((id) => {
    if (!(id >= 0 && id < depth)) throw new RangeError(`${id} is not below ${depth}`);
    return Array<number>(depth).fill(0).with(id, 1);
  });

const meanPool = ({ tokens, mask }: { tokens: number[][]; mask: number[] }): unknown => {
  const sums = new Float64Array(tokens[0]?.length ?? 0);
  let count = 0;
  tokens.forEach((token, at) => {
    if (!mask[at]) return;
    count++;
    token.forEach((value, i) => (sums[i]! += value));
  });
  return [...sums].map((sum) => String(sum / count));
};

const many = Array.from({ length: 400 }, (_, at) => ((at * 7919) % 1009) / 100 - 5);

export const cases: readonly Case[] = [
  { name: "quantized", run: quantized, rows: [[0.5, -1, 0.25], [], [0, -0], many, [1e-320], ["x", 1], null] },
  {
    name: "normalise",
    run: normalise,
    rows: [
      { pixels: Array.from({ length: 48 }, (_, at) => (at * 37) % 256), width: 4, height: 4 },
      { pixels: [], width: 0, height: 5 },
      { pixels: [1, 2], width: 1, height: 1 },
      { pixels: [300, -5, "7"], width: 1, height: 1 },
      { width: 1, height: 1 },
    ],
  },
  {
    name: "resize",
    run: resize,
    rows: [
      {
        image: [
          [0, 255],
          [128, 64],
        ],
        width: 5,
        height: 3,
      },
      { image: [[1]], width: 2, height: 2 },
      { image: [], width: 1, height: 1 },
      { image: [[1, 2], [3]], width: 3, height: 3 },
      { image: [[1]], width: -1, height: 1 },
      { image: [[1]], width: 1, height: 0 },
      { image: [[1], null], width: 1, height: 4 },
    ],
  },
  {
    name: "letterbox",
    run: letterbox,
    rows: [
      { width: 1920, height: 1080, size: 640 },
      { width: 0, height: 1, size: 640 },
      { width: 1, height: 1e9, size: 3 },
      { width: "10", height: 5, size: 20 },
      {},
      null,
    ],
  },
  {
    name: "padded",
    run: padded,
    rows: [
      { rows: [[1, 2, 3], [4], []] },
      { rows: [], value: 9 },
      { rows: [[1], [2, 3]], value: null },
      { rows: ["ab", [1]] },
      { rows: [5, [1]] },
      { rows: [null] },
      {},
    ],
  },
  {
    name: "oneHot",
    run: oneHot,
    rows: [
      { ids: [0, 2, 1], depth: 3 },
      { ids: [3], depth: 3 },
      { ids: [-1], depth: 3 },
      { ids: [0.5], depth: 3 },
      { ids: ["1"], depth: 2 },
      { ids: [], depth: -1 },
      { ids: [0], depth: 1.5 },
      { depth: 1 },
    ],
  },
  {
    name: "meanPool",
    run: meanPool,
    rows: [
      {
        tokens: [
          [1, 2],
          [3, 4],
          [100, 100],
        ],
        mask: [1, 1, 0],
      },
      { tokens: [], mask: [] },
      { tokens: [[1]], mask: [0] },
      { tokens: [["a", 1]], mask: [1] },
      { tokens: [[1], null], mask: [1, 1] },
      {},
    ],
  },
];
