import { hostileNumber, listOf, pick, upTo } from "../hostile.ts";
import { text, number, small, optional, scalar, json, one, notPortable } from "./arguments.ts";
import type { SupportCase } from "./support-case.ts";

/** Number of calls for lists of hundreds of items. */
const long = 200;

export const arraysSupportCases: readonly SupportCase[] = [
  {
    piece: "sorted_as_v8",
    python: "lambda xs: sorted_as_v8(xs, lambda a, b: a - b)",
    javascript: (xs: readonly number[]) => xs.toSorted((a, b) => a - b),
    arguments: one((random) => listOf(random, number, 400)),
    calls: long,
  },
  {
    piece: "sorted_as_v8",
    python: "lambda xs: sorted_as_v8(xs, lambda a, b: (a * 7 + b * 13) % 5 - 2)",
    javascript: (xs: readonly number[]) => xs.toSorted((a, b) => ((a * 7 + b * 13) % 5) - 2),
    arguments: one((random) => listOf(random, () => upTo(random, 100), 600)),
    calls: long,
  },
  {
    piece: "sorted_by_number",
    python: "lambda xs: sorted_by_number(xs, lambda a: -a)",
    javascript: (xs: readonly number[]) => xs.toSorted((a, b) => b - a),
    arguments: one((random) => listOf(random, () => (random() < 0.6 ? Number.NaN : upTo(random, 30)), 500)),
    calls: long,
  },
  {
    piece: "sorted_by_numbers",
    with: ["NAN"],
    python: "lambda xs: sorted_by_numbers(xs, lambda a: [a % 7 if a % 5 else NAN, -a])",
    javascript: (xs: readonly number[]) => {
      const key = (x: number): number => (x % 5 === 0 ? Number.NaN : x % 7);
      return xs.toSorted((a, b) => key(a) - key(b) || b - a);
    },
    arguments: one((random) => listOf(random, () => upTo(random, 90), 500)),
    calls: long,
  },
  {
    piece: "sorted_typed",
    python: "lambda xs: sorted_typed(xs, lambda a, b: a - b)",
    javascript: (xs: readonly number[]) => [...Float64Array.from(xs).sort((a, b) => a - b)],
    arguments: one((random) => listOf(random, number, 200)),
  },
  {
    piece: "numeric_order",
    python: "lambda xs: sorted(xs, key=numeric_order)",
    javascript: (xs: readonly number[]) => [...Float64Array.from(xs).sort()],
    arguments: one((random) => listOf(random, number, 40)),
  },
  {
    piece: "sort",
    javascript: (xs: unknown[]) => xs.sort(),
    arguments: one((random) => listOf(random, optional(scalar), 12)),
  },
  {
    piece: "join",
    javascript: (xs: readonly unknown[], by: string) => xs.join(by),
    arguments: (random) => [listOf(random, optional(scalar)), text(random)],
  },
  {
    piece: "flat",
    javascript: (xs: readonly unknown[], depth: 1) => xs.flat(depth),
    arguments: (random) => [
      listOf(random, () => json(random)).filter((x) => Array.isArray(x) || typeof x !== "object"),
      small(random),
    ],
  },
  {
    piece: "splice",
    python: "lambda xs, *more: [splice(xs, *more), xs]",
    javascript: (xs: number[], ...more: readonly [number, number, ...number[]]) => [xs.splice(...more), xs],
    arguments: (random) => [
      listOf(random, number),
      small(random),
      ...(random() < 0.2 ? [] : [small(random), ...listOf(random, number, 3)]),
    ],
  },
  {
    piece: "put",
    python: "lambda xs, i, v: [put(xs, i, v), xs][1]",
    javascript: (xs: number[], i: number, v: number) => {
      if (i > xs.length || i < 0 || !Number.isInteger(i))
        throw notPortable("an assignment beyond the end of an array creates a hole");
      xs[i] = v;
      return xs;
    },
    arguments: (random) => [listOf(random, number), small(random), number(random)],
  },
  {
    piece: "put_typed",
    python: "lambda xs, i, v: [put_typed(xs, i, v), xs][1]",
    javascript: (xs: number[], i: number, v: number) => {
      const array = Float64Array.from(xs);
      array[i] = v;
      return [...array];
    },
    arguments: (random) => [listOf(random, number), small(random), number(random)],
  },
  {
    piece: "new_typed",
    python: "lambda size: new_typed(0.0, size)",
    javascript: (size: number) => [...new Float64Array(size)],
    // Lengths in between would really allocate such an array.
    arguments: (random) => [
      pick(random, [
        0,
        1,
        2,
        7,
        -0,
        0.5,
        -0.5,
        1.5,
        2.9,
        -1,
        -9.5,
        2 ** 53,
        1e21,
        Number.NaN,
        Infinity,
        -Infinity,
      ]),
    ],
  },
  {
    piece: "fill_typed",
    javascript: (xs: number[], v: number, from: number, to: number) => [
      ...Float64Array.from(xs).fill(v, from, to),
    ],
    arguments: (random) => [listOf(random, number), number(random), small(random), small(random)],
  },
  {
    piece: "set_typed",
    python: "lambda xs, ys, at: [set_typed(xs, ys, at), xs][1]",
    javascript: (xs: number[], ys: number[], at: number) => {
      const array = Float64Array.from(xs);
      array.set(ys, at);
      return [...array];
    },
    arguments: (random) => [listOf(random, number), listOf(random, number), small(random)],
  },
  {
    piece: "push",
    python: "lambda xs, y: [push(xs, y, y), xs]",
    javascript: (xs: number[], y: number) => [xs.push(y, y), xs],
    arguments: (random) => [listOf(random, number), number(random)],
  },
  {
    piece: "fold",
    python:
      "lambda xs: [fold(enumerate(xs), lambda a, x, i: a + x * i, 0.5), fold(enumerate(xs), lambda a, x, i: float(a) - float(x) * i)]",
    javascript: (xs: readonly number[]) => [
      xs.reduce((a, x, i) => a + x * i, 0.5),
      xs.reduce((a, x, i) => a - x * i),
    ],
    arguments: (random) => [listOf(random, number)],
  },
  {
    piece: "find",
    python: "lambda xs, y: find(xs, lambda x: x > y)",
    javascript: (xs: readonly number[], y: number) => xs.find((x) => x > y),
    arguments: (random) => [listOf(random, number), number(random)],
  },
  {
    piece: "find_index",
    python: "lambda xs, y: find_index(xs, lambda x: x > y)",
    javascript: (xs: readonly number[], y: number) => xs.findIndex((x) => x > y),
    arguments: (random) => [listOf(random, number), number(random)],
  },
  {
    piece: "position",
    javascript: (xs: readonly number[], y: number) => xs.indexOf(y),
    arguments: (random) => [listOf(random, number, 20), number(random)],
  },
  {
    piece: "last_position",
    javascript: (xs: readonly number[], y: number) => xs.lastIndexOf(y),
    arguments: (random) => [listOf(random, number, 20), number(random)],
  },
  {
    piece: "contains",
    javascript: (xs: readonly number[], y: number) => xs.includes(y),
    arguments: (random) => [listOf(random, number, 20), number(random)],
  },
  {
    piece: "reduce_from_first",
    python: "lambda xs: reduce_from_first(xs, lambda a, b: float(a) - b)",
    javascript: (xs: readonly number[]) => xs.reduce((a, b) => a - b),
    arguments: (random) => [listOf(random, number)],
  },
  {
    piece: "with_element",
    javascript: (items: readonly number[], at: number, value: number) => items.with(at, value),
    arguments: (random) => [
      listOf(random, hostileNumber),
      pick(random, [0, 1, 2, -1, -3, 7, 1.9, Number.NaN, 1e21, -1 / 0]),
      hostileNumber(random),
    ],
  },
  {
    piece: "new_array",
    javascript: (filling: number, size: number) => Array<number>(size).fill(filling),
    arguments: (random) => [
      hostileNumber(random),
      pick(random, [0, 1, 5, 300, -1, 0.5, Number.NaN, 2 ** 32, 1 / 0]),
    ],
  },
  {
    piece: "put_all",
    python: "lambda xs, ys: [put_all(xs, ys), xs]",
    javascript: (items: number[], others: readonly number[]) => {
      items.splice(0, items.length, ...others);
      return [items, items];
    },
    arguments: (random) => [listOf(random, hostileNumber), listOf(random, hostileNumber)],
  },
];
