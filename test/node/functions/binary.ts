import type { Case } from "./case.ts";
import { numbers, strings } from "./rows.ts";

const factorial = (n: string): string => {
  let product = 1n;
  for (let i = 2n; i <= BigInt(n); i++) product *= i;
  return product.toString();
};

const fibonacci = (n: number): string => {
  let [a, b] = [0n, 1n];
  for (let i = 0; i < n; i++) [a, b] = [b, a + b];
  return a.toString(36);
};

const modPow = ({ base, exponent, modulus }: { base: string; exponent: string; modulus: string }): string => {
  const m = BigInt(modulus);
  let [result, b, e] = [1n, BigInt(base) % m, BigInt(exponent)];
  if (e < 0n) throw new RangeError("a negative exponent");
  for (; e > 0n; e >>= 1n, b = (b * b) % m) if (e & 1n) result = (result * b) % m;
  return String(result);
};

const asInts = (text: string): unknown => {
  const value = BigInt(text);
  return [
    BigInt.asIntN(64, value),
    BigInt.asUintN(64, value),
    BigInt.asIntN(8, value),
    -value / 7n,
    value % 10n,
    value ** 2n,
  ].map(String);
};

/** Exact cents from a decimal number in text. */
const cents = (text: string): string => {
  const [, sign = "", whole = "", fraction = ""] = /^\s*([+-]?)(\d*)\.?(\d{0,2})\d*\s*$/.exec(text) ?? [];
  return (BigInt(`${whole || 0}${fraction.padEnd(2, "0")}`) * (sign === "-" ? -1n : 1n)).toLocaleString("en");
};

const mixed = (value: number): unknown => [
  BigInt(value) + 1n > value,
  BigInt(value) == (value as unknown as bigint),
  typeof BigInt(value),
  String(BigInt(value)),
];

/** The id of a tweet: time, worker and sequence. */
const snowflake = (id: string): unknown => {
  const bits = BigInt(id);
  return {
    at: new Date(Number((bits >> 22n) + 1288834974657n)).toISOString(),
    worker: Number((bits >> 12n) & 0x3ffn),
    sequence: Number(bits & 0xfffn),
  };
};

const notJson = (text: string): unknown => ({ value: BigInt(text) });

/** Two 16-bit numbers in network byte order. */
const packed = ({ type, length, values }: { type: number; length: number; values: number[] }): unknown => {
  const view = new DataView(new ArrayBuffer(8 + values.length * 8));
  view.setUint16(0, type);
  view.setUint16(2, length, true);
  view.setInt32(4, -length);
  values.forEach((value, at) => view.setFloat64(8 + at * 8, value, at % 2 === 0));
  return Array.from(new Uint8Array(view.buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
};

/** Reads a WAV header. */
const wav = (bytes: number[]): unknown => {
  const view = new DataView(Uint8Array.from(bytes).buffer);
  const tag = (at: number): string => String.fromCharCode(...new Uint8Array(view.buffer, at, 4));
  if (tag(0) !== "RIFF" || tag(8) !== "WAVE")
    throw new TypeError(`not a WAV file: ${JSON.stringify(tag(0))}`);
  return {
    size: view.getUint32(4, true),
    channels: view.getUint16(22, true),
    rate: view.getUint32(24, true),
  };
};

const clamped = (list: (number | string)[]): unknown => [
  [...Uint8ClampedArray.from(list, Number)],
  [...Int8Array.from(list, Number)],
  [...Uint16Array.from(list, Number)],
  [...Float32Array.from(list, Number)].map(String),
];

/** 16-bit floats. */
const toHalf = (list: (number | string)[]): number[] =>
  list.map((one) => {
    const [bits = 0] = new Uint32Array(Float32Array.of(Number(one)).buffer);
    const [sign, exponent, mantissa] = [(bits >>> 16) & 0x8000, (bits >>> 23) & 0xff, bits & 0x7fffff];
    if (exponent === 255) return sign | 0x7c00 | (mantissa === 0 ? 0 : 0x200);
    const e = exponent - 112;
    if (e >= 31) return sign | 0x7c00;
    if (e <= 0) return e < -10 ? sign : sign | ((mantissa | 0x800000) >>> (14 - e));
    return sign | (e << 10) | (mantissa >>> 13);
  });

const sliced = ({ values, from, to }: { values: number[]; from: number; to: number }): unknown => {
  const all = Float64Array.from(values);
  const [view, copy] = [all.subarray(from, to), all.slice(from, to)];
  view.fill(0.5);
  return {
    all: [...all],
    copy: [...copy],
    at: all.at(from) ?? null,
    found: all.findLastIndex((x) => x > 1),
    text: view.join("/"),
  };
};

const sizes = (length: number): unknown => [
  new Uint8Array(length).length,
  new Float64Array(new ArrayBuffer(length)).length,
];

const matrix = ({ a, b, n }: { a: number[]; b: number[]; n: number }): unknown => {
  const [left, right, out] = [Float32Array.from(a), Float32Array.from(b), new Float32Array(n * n)];
  if (left.length !== n * n || right.length !== n * n)
    throw new RangeError(`${left.length} and ${right.length} elements, not ${n * n}`);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += (left[i * n + k] ?? 0) * (right[k * n + j] ?? 0);
      out[i * n + j] = sum;
    }
  return [...out].map(String);
};

const varints = (list: number[]): unknown => {
  const bytes: number[] = [];
  for (let value of list) {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is not a count`);
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    bytes.push(value);
  }
  return Buffer.from(bytes).toString("hex");
};

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

const crc32 = (text: string): string => {
  let crc = -1;
  for (const byte of new TextEncoder().encode(text)) crc = (CRC[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  return ((crc ^ -1) >>> 0).toString(16);
};

const swapped = (list: number[]): unknown => {
  const buffer = new (ArrayBuffer as new (length: number, options: object) => ArrayBuffer)(list.length * 4, {
    maxByteLength: 4096,
  });
  new Int32Array(buffer).set(list);
  const copy = structuredClone(buffer);
  new Uint8Array(copy).reverse();
  return { kept: [...new Int32Array(buffer)], reversed: [...new Int32Array(copy)] };
};

const bigs = [
  "0",
  "-1",
  "9007199254740993",
  "123456789012345678901234567890",
  "0xff",
  "0b101",
  " 7 ",
  "",
  "1.5",
  "1e3",
  "abc",
  "1n",
  "-0x1",
];

export const cases: readonly Case[] = [
  { name: "factorial", run: factorial, rows: ["0", "5", "25", "170", "-3", "x", "", 4, null, true] },
  { name: "fibonacci", run: fibonacci, rows: [0, 1, 90, 1000, -5, 2.5, "10", null] },
  {
    name: "modPow",
    run: modPow,
    rows: [
      { base: "4", exponent: "13", modulus: "497" },
      { base: "123456789123456789", exponent: "987654321987654321", modulus: "1000000000000000003" },
      { base: "-3", exponent: "3", modulus: "5" },
      { base: "2", exponent: "10", modulus: "0" },
      { base: "2", exponent: "-1", modulus: "5" },
      { base: "a", exponent: "1", modulus: "5" },
      { base: "2", exponent: "1" },
    ],
  },
  { name: "asInts", run: asInts, rows: bigs },
  { name: "cents", run: cents, rows: [...bigs, "12.345", "-.5", "+7", "1,000"] },
  { name: "mixed", run: mixed, rows: [...numbers, 3, null, [], [5]] },
  {
    name: "snowflake",
    run: snowflake,
    rows: ["1212092628029698048", "0", "18446744073709551615", "99999999999999999999999999", "-5", "x"],
  },
  { name: "notJson", run: notJson, rows: ["1", "x"] },
  {
    name: "packed",
    run: packed,
    rows: [
      { type: 1, length: 70000, values: [1.5, -0.1, 1e300] },
      { type: -1, length: 0, values: [] },
      { type: 1.9, length: "3", values: ["NaN", null] },
      { type: 1, length: 2, values: -5 },
      { type: 1, length: 2, values: { length: -1 } },
      null,
    ],
  },
  {
    name: "wav",
    run: wav,
    rows: [
      [
        ...Buffer.from(
          "RIFF$\u0000\u0000\u0000WAVEfmt \u0010\u0000\u0000\u0000\u0001\u0000\u0002\u0000D¬\u0000\u0000",
          "latin1",
        ),
      ],
      [...Buffer.from("RIFF____WAVE")],
      [...Buffer.from("PNG_________")],
      [],
      [82, 73],
      "RIFF",
      null,
    ],
  },
  {
    name: "clamped",
    run: clamped,
    rows: [numbers, [], [255.5, 256, -0.6, 0.5, 1.5, 65536, -32769], [null, [], {}]],
  },
  { name: "toHalf", run: toHalf, rows: [numbers, [], [65504, 65520, 6e-8, 6.1e-5, -2]] },
  {
    name: "sliced",
    run: sliced,
    rows: [
      { values: [1, 2, 3, 4], from: 1, to: 3 },
      { values: [1, 2, 3], from: -2, to: -1 },
      { values: [], from: 0, to: 9 },
      { values: [1, "2", null], from: 2, to: 1 },
      { from: 1 },
      { values: [5], from: "x" },
    ],
  },
  { name: "sizes", run: sizes, rows: [0, 16, 8, 7, -1, 1e18, 2.5, "8", null] },
  {
    name: "matrix",
    run: matrix,
    rows: [
      { a: [1, 2, 3, 4], b: [0.1, 0.2, 0.3, 0.4], n: 2 },
      { a: [1e38], b: [1e38], n: 1 },
      { a: [], b: [], n: 0 },
      { a: [1], b: [1, 2], n: 1 },
      { a: [1], b: [1], n: -1 },
      { a: [1], b: [1], n: 1e6 },
      {},
    ],
  },
  {
    name: "varints",
    run: varints,
    rows: [[0, 1, 127, 128, 300, 2 ** 53 - 1], [], [-1], [1.5], ["1"], [null], null],
  },
  { name: "crc32", run: crc32, rows: [...strings, "123456789", 5] },
  {
    name: "swapped",
    run: swapped,
    rows: [[1, 2, -3], [], [2 ** 31, 0.5], Array.from({ length: 1025 }, () => 1), { length: 1 }, null],
  },
];
