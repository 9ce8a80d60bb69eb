import type { Case } from "./case.ts";
import { numbers } from "./rows.ts";

type Numeric = number | string;

/** JSON has neither negative zero nor NaN. */
const shown = (value: number): number | string =>
  Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? "-0" : String(value);

const each = (list: readonly Numeric[], map: (value: number) => number): (number | string)[] =>
  list.map((one) => shown(map(Number(one))));

const sigmoid = (list: readonly Numeric[]): unknown =>
  each(list, (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x))));

const SQRT_2_OVER_PI = Math.sqrt(2 / Math.PI);
const gelu = (list: readonly Numeric[]): unknown =>
  each(list, (x) => 0.5 * x * (1 + Math.tanh(SQRT_2_OVER_PI * (x + 0.044715 * x ** 3))));

const logarithms = (list: readonly Numeric[]): unknown =>
  list.map((one) => {
    const x = Number(one);
    return [Math.log(x), Math.log2(x), Math.log10(x), Math.log1p(x), Math.expm1(x), Math.exp(x)].map(shown);
  });

const trigonometry = (list: readonly Numeric[]): unknown =>
  list.map((one) => {
    const x = Number(one);
    return [
      Math.sin,
      Math.cos,
      Math.tan,
      Math.asin,
      Math.atan,
      Math.sinh,
      Math.cosh,
      Math.tanh,
      Math.atanh,
    ].map((f) => shown(f(x)));
  });

const powers = (list: readonly Numeric[]): unknown =>
  list.map((one) => {
    const x = Number(one);
    return [x ** 2, x ** 0.5, x ** -1, 2 ** x, 10 ** x, 1.0000001 ** x, Math.cbrt(x), (-x) ** (1 / 3)].map(
      shown,
    );
  });

const GAMMA = 1 / 2.2;
const EXPOSURE = 2 ** -0.35 * 10 ** 0.2;
const toneMap = (list: readonly Numeric[]): unknown =>
  each(list, (x) => Math.min(1, Math.max(0, x * EXPOSURE)) ** GAMMA);

const norms = (list: readonly Numeric[]): unknown => {
  const values = list.map(Number);
  return [
    Math.hypot(...values),
    Math.max(...values.map(Math.abs)),
    values.reduce((sum, x) => sum + Math.abs(x), 0),
    Math.sqrt(values.reduce((sum, x) => sum + x * x, 0)),
  ].map(shown);
};

const bitTricks = (list: readonly Numeric[]): unknown =>
  list.map((one) => {
    const x = Number(one);
    return [
      x | 0,
      x >>> 0,
      ~~x,
      x << 5,
      x >> 3,
      x ^ 0x5bd1e995,
      Math.clz32(x),
      Math.imul(x, 2654435761),
      Math.fround(x),
    ].map(shown);
  });

/** The FNV-1a hash, 32 bits. */
const fnv1a = (list: readonly Numeric[]): string => {
  let hash = 0x811c9dc5;
  for (const unit of list.join("|")) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
};

const mulberry = (list: readonly Numeric[]): unknown => {
  let state = list.length >>> 0;
  return list.map(() => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  });
};

const rounding = (list: readonly Numeric[]): unknown =>
  list.map((one) => {
    const x = Number(one);
    return [Math.round(x), Math.floor(x), Math.ceil(x), Math.trunc(x), Math.sign(x), x % 3, -x % 1].map(
      shown,
    );
  });

const formatted = (list: readonly Numeric[]): unknown =>
  list.map((one) => {
    const x = Number(one);
    return [
      x.toFixed(2),
      x.toPrecision(6),
      x.toExponential(3),
      x.toString(2).slice(0, 80),
      x.toString(36),
      `${x}`,
    ];
  });

/** Throws a RangeError for digits outside 0 to 100. */
const digitsOf = ({ value, digits }: { value: Numeric; digits: number }): string =>
  Number(value).toFixed(digits);

const parsed = (list: readonly Numeric[]): unknown =>
  list.map((one) => {
    const text = String(one);
    const values = [
      Number.parseInt(text, 10),
      Number.parseInt(text, 16),
      Number.parseFloat(text),
      +text,
      Number(text || "NaN"),
    ];
    return values.map(shown);
  });

class NotANumber extends TypeError {
  override name = "NotANumber";
}

/** Kahan summation; refuses anything that is not a number. */
const exactSum = (list: readonly Numeric[]): number | string => {
  let [sum, compensation] = [0, 0];
  list.forEach((one, at) => {
    const x = Number(one);
    if (Number.isNaN(x)) throw new NotANumber(`${JSON.stringify(one)} at ${at}`);
    const y = x - compensation;
    const t = sum + y;
    compensation = t - sum - y;
    sum = t;
  });
  return shown(sum);
};

/** Welford's mean and variance. */
const statistics = (list: readonly Numeric[]): unknown => {
  let [count, mean, m2] = [0, 0, 0];
  for (const x of list.map(Number)) {
    count++;
    const delta = x - mean;
    mean += delta / count;
    m2 += delta * (x - mean);
  }
  return {
    count,
    mean: shown(mean),
    variance: shown(m2 / (count - 1)),
    deviation: shown(Math.sqrt(m2 / count)),
  };
};

const percentile = ({ values, p }: { values: readonly Numeric[]; p: number }): number | string => {
  if (!(p >= 0 && p <= 100)) throw new RangeError(`the percentile ${p} is not between 0 and 100`);
  const sorted = values.map(Number).toSorted((a, b) => a - b);
  const position = (p / 100) * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  if (low === undefined || high === undefined) throw new Error("the list has no values");
  return shown(low + (high - low) * (position - Math.floor(position)));
};

const bitsOf = (list: readonly Numeric[]): unknown => {
  const doubles = Float64Array.from(list, Number);
  return Array.from(new BigUint64Array(doubles.buffer), (bits) => bits.toString(16).padStart(16, "0"));
};

/** Haversine distance in kilometres. */
const distance = ([lat1, lon1, lat2, lon2]: readonly number[]): number | string => {
  const [a, b, c, d] = [lat1, lon1, lat2, lon2].map(
    (degrees) => ((degrees ?? Number.NaN) * Math.PI) / 180,
  ) as [number, number, number, number];
  const h = Math.sin((c - a) / 2) ** 2 + Math.cos(a) * Math.cos(c) * Math.sin((d - b) / 2) ** 2;
  return shown(2 * 6371.0088 * Math.asin(Math.sqrt(h)));
};

const lists: readonly (readonly Numeric[])[] = [
  numbers,
  [],
  [0.1, 0.2, 0.3],
  Array.from({ length: 300 }, (_, at) => (at - 150) / 7),
  [-0.0001, 745.2, -745.2, 709.79, 20, -20],
];

export const cases: readonly Case[] = [
  { name: "sigmoid", run: sigmoid, rows: lists },
  { name: "gelu", run: gelu, rows: lists },
  { name: "logarithms", run: logarithms, rows: lists },
  { name: "trigonometry", run: trigonometry, rows: lists },
  { name: "powers", run: powers, rows: lists },
  { name: "toneMap", run: toneMap, rows: lists },
  { name: "norms", run: norms, rows: lists },
  { name: "bitTricks", run: bitTricks, rows: lists },
  { name: "fnv1a", run: fnv1a, rows: lists },
  { name: "mulberry", run: mulberry, rows: lists },
  { name: "rounding", run: rounding, rows: lists },
  { name: "formatted", run: formatted, rows: lists },
  {
    name: "digitsOf",
    run: digitsOf,
    rows: [
      ...numbers.map((value) => ({ value, digits: 3 })),
      { value: 1.5, digits: 101 },
      { value: 1, digits: -1 },
      null,
    ],
  },
  { name: "parsed", run: parsed, rows: lists },
  { name: "exactSum", run: exactSum, rows: [...lists, [1e16, 1, -1e16], [1, null, "x"], [1, { a: 2 }]] },
  { name: "statistics", run: statistics, rows: lists },
  {
    name: "percentile",
    run: percentile,
    rows: [
      ...lists.flatMap((values) => [0, 37.5, 100].map((p) => ({ values, p }))),
      { values: [1], p: -1 },
      { values: [1, 2], p: null },
      { values: null, p: 1 },
      {},
    ],
  },
  { name: "bitsOf", run: bitsOf, rows: [...lists, [null, true, "1,5"], "12"] },
  {
    name: "distance",
    run: distance,
    rows: [[52.52, 13.405, 48.137, 11.575], [0, 0, 0, 180], [90, 0, -90, 0], [], ["x", 1, 2, 3], null],
  },
];
