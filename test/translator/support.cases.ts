import {
  hostileBigint,
  hostileNumber,
  hostileNumberText,
  hostileText,
  listOf,
  pick,
  type Random,
  upTo,
} from "./hostile.ts";

/** What a support function promises: to do what the JavaScript does, whatever the arguments. */
export interface SupportCase {
  /** The piece that is held; others may be named beside it. */
  readonly piece: string;
  readonly with?: readonly string[];
  /** A Python callable of the arguments; the piece itself unless said. */
  readonly python?: string;
  readonly javascript: (...values: never[]) => unknown;
  readonly arguments: (random: Random) => readonly unknown[];
}

const text = hostileText;
const number = hostileNumber;
const bigint = hostileBigint;
const small = (random: Random): number =>
  random() < 0.8
    ? pick(random, [0, 1, 2, 3, 4, 5, 7, -1, -2, -3, -9, 0.5, -0.5, 1.5, 2.9, Number.NaN, -0])
    : number(random);
const optional =
  <T>(make: (random: Random) => T) =>
  (random: Random): T | undefined =>
    random() < 0.2 ? undefined : make(random);
const part = (random: Random, whole: string): string => {
  const start = upTo(random, whole.length);
  return random() < 0.6 ? whole.slice(start, start + upTo(random, 3)) : text(random);
};
const scalar = (random: Random): unknown =>
  pick(random, [text, number, number, () => null, () => true, () => false])(random);
const json = (random: Random, depth = 3): unknown => {
  if (depth === 0 || random() < 0.4) return scalar(random);
  if (random() < 0.5) return listOf(random, () => json(random, depth - 1), 4);
  return record(random, () => json(random, depth - 1));
};
const record = <T>(random: Random, make: (random: Random) => T): Record<string, T> =>
  Object.fromEntries(
    listOf(random, () => [
      random() < 0.4
        ? pick(random, ["10", "2", "0", "01", "-1", "4294967294", "4294967295", "1.5", "b", "a"])
        : text(random).replace("__proto__", ""),
      make(random),
    ]),
  ) as Record<string, T>;
const textAnd =
  (...more: readonly ((random: Random) => unknown)[]) =>
  (random: Random): readonly unknown[] => [text(random), ...more.map((make) => make(random))];
const one =
  (make: (random: Random) => unknown) =>
  (random: Random): readonly unknown[] => [make(random)];
const two = (random: Random): readonly unknown[] => [number(random), number(random)];
const numbersOf = (random: Random): readonly unknown[] => listOf(random, number);
const textAndPart = (random: Random): readonly unknown[] => {
  const whole = text(random);
  return [whole, part(random, whole)];
};
const textPartAndPlace = (random: Random): readonly unknown[] => [...textAndPart(random), small(random)];
const hostilePattern = (): RegExp => /([ab])|(?<n>[A-Z])/g;

export const supportCases: readonly SupportCase[] = [
  {
    piece: "undefined",
    python: "lambda x: undefined or x",
    javascript: (x: unknown) => x,
    arguments: one(text),
  },
  {
    piece: "Thrown",
    python: "lambda name, message: (_ for _ in ()).throw(Thrown(message, name))",
    javascript: (name: string, message: string) => {
      throw Object.assign(new Error(message), { name });
    },
    arguments: textAnd(text),
  },
  { piece: "NAN", python: "lambda: NAN", javascript: () => Number.NaN, arguments: () => [] },
  { piece: "INF", python: "lambda: INF", javascript: () => Number.POSITIVE_INFINITY, arguments: () => [] },
  { piece: "truthy", javascript: (n: number) => Boolean(n), arguments: one(optional(number)) },
  { piece: "same", javascript: (a: number, b: number) => [a].includes(b), arguments: two },
  {
    piece: "key",
    python: "lambda xs: list(dict.fromkeys(map(key, xs)))",
    javascript: (xs: readonly number[]) => [...new Set(xs)],
    arguments: one((random) => listOf(random, number, 12)),
  },
  {
    piece: "key",
    python: "lambda xs: list(dict.fromkeys(map(key, xs)))",
    javascript: (xs: readonly string[]) => [...new Set(xs)],
    arguments: one((random) => listOf(random, text, 12)),
  },
  {
    piece: "units",
    with: ["chars"],
    python: "lambda s: [len(units(chars(s))), units(chars(s)), len(chars(s))]",
    javascript: (s: string) => [s.length, s, [...s].length],
    arguments: one(text),
  },
  {
    piece: "chars",
    with: ["units"],
    python: "lambda s: units(chars(s)[::-1])",
    javascript: (s: string) => [...s].reverse().join(""),
    // Reversed lone surrogates can become a pair, which Node joins as well.
    arguments: one(text),
  },
  {
    piece: "utf8",
    python: "lambda s: list(utf8(s))",
    javascript: (s: string) => [...new TextEncoder().encode(s)],
    arguments: one(text),
  },
  {
    piece: "SURROGATE",
    python: "lambda s: bool(SURROGATE.search(s))",
    javascript: (s: string) => /[\ud800-\udfff]/.test(s),
    arguments: one(text),
  },
  {
    piece: "LONE_SURROGATE",
    python: "lambda s: LONE_SURROGATE.sub('?', s)",
    javascript: (s: string) => s.replaceAll(/\p{Surrogate}/gu, "?"),
    arguments: one(text),
  },
  { piece: "POINT", python: "POINT.findall", javascript: (s: string) => [...s], arguments: one(text) },
  { piece: "points", javascript: (s: string) => [...s], arguments: one(text) },
  {
    piece: "whole",
    python: "lambda i: whole(i, -5, 9)",
    javascript: (i: number) => Math.max(-5, Math.min(9, Math.trunc(i))) || 0,
    arguments: one(number),
  },
  {
    piece: "index",
    python: "lambda s, i: s[index(i, len(s)):]",
    javascript: (s: string, i: number) => s.slice(i),
    arguments: textAnd(small),
  },
  {
    piece: "cut",
    javascript: (s: string, a: number, b: number | undefined) => s.slice(a, b),
    arguments: textAnd(optional(small), optional(small)),
  },
  {
    piece: "cut",
    javascript: (s: readonly number[], a: number, b: number | undefined) => s.slice(a, b),
    arguments: (random) => [listOf(random, number), small(random), optional(small)(random)],
  },
  {
    piece: "substring",
    javascript: (s: string, a: number, b: number | undefined) => s.substring(a, b),
    arguments: textAnd(small, optional(small)),
  },
  { piece: "at", javascript: (s: string, i: number) => s[i], arguments: textAnd(small) },
  {
    piece: "at",
    javascript: (s: readonly number[], i: number) => s[i],
    arguments: (random) => [listOf(random, number), small(random)],
  },
  { piece: "from_end", javascript: (s: string, i: number) => s.at(i), arguments: textAnd(small) },
  { piece: "char_at", javascript: (s: string, i: number) => s.charAt(i), arguments: textAnd(small) },
  { piece: "char_code_at", javascript: (s: string, i: number) => s.charCodeAt(i), arguments: textAnd(small) },
  {
    piece: "code_point_at",
    javascript: (s: string, i: number) => s.codePointAt(i),
    arguments: textAnd(small),
  },
  {
    piece: "from_code_point",
    javascript: (...codes: readonly number[]) => String.fromCodePoint(...codes),
    arguments: (random) =>
      listOf(random, () =>
        random() < 0.1
          ? number(random)
          : pick(random, [0, 65, 233, 0xd800, 0xdc00, 0xffff, 0x1f600, 0x10ffff]),
      ),
  },
  {
    piece: "from_char_code",
    javascript: (...codes: readonly number[]) => String.fromCharCode(...codes),
    arguments: (random) => listOf(random, () => (random() < 0.5 ? number(random) : upTo(random, 70000))),
  },
  {
    piece: "index_of",
    javascript: (s: string, what: string, start: number) => s.indexOf(what, start),
    arguments: textPartAndPlace,
  },
  {
    piece: "last_index_of",
    javascript: (s: string, what: string, start: number | undefined) => s.lastIndexOf(what, start),
    arguments: (random) => [...textAndPart(random), optional(small)(random)],
  },
  {
    piece: "pad",
    python: "lambda s, n, fill: pad(s, n, fill) + s",
    javascript: (s: string, n: number, fill: string) => s.padStart(n, fill),
    arguments: (random) => [
      text(random),
      random() < 0.2
        ? pick(random, [2 ** 30, 1e300, Number.POSITIVE_INFINITY, Number.NaN])
        : upTo(random, 30) - 5.5,
      text(random),
    ],
  },
  {
    piece: "repeat",
    javascript: (s: string, n: number) => s.repeat(n),
    arguments: (random) => [
      text(random),
      random() < 0.2
        ? pick(random, [2 ** 30, 1e300, Number.POSITIVE_INFINITY, Number.NaN, -1.5])
        : small(random) % 100,
    ],
  },
  {
    piece: "split",
    javascript: (s: string, separator: string, limit: number | undefined) => s.split(separator, limit),
    arguments: (random) => [...textAndPart(random), random() < 0.5 ? undefined : upTo(random, 4)],
  },
  {
    piece: "WHITESPACE",
    python: "lambda s: [s.strip(WHITESPACE), s.lstrip(WHITESPACE), s.rstrip(WHITESPACE)]",
    javascript: (s: string) => [s.trim(), s.trimStart(), s.trimEnd()],
    arguments: one(
      (random) => String.fromCharCode(...listOf(random, () => upTo(random, 65535))) + text(random),
    ),
  },
  {
    piece: "WHITESPACE",
    python: "lambda: [i for i in range(0x10000) if not chr(i).strip(WHITESPACE)]",
    javascript: () =>
      Array.from({ length: 0x10000 }, (_, i) => i).filter((i) => String.fromCharCode(i).trim() === ""),
    arguments: () => [],
  },
  {
    piece: "REPLACEMENT",
    python: "lambda s: [m[0] for m in REPLACEMENT.finditer(s)]",
    javascript: (s: string) => s.match(/\$([$&`']|\d\d?)/g) ?? [],
    arguments: one(template),
  },
  {
    piece: "NAMED_REPLACEMENT",
    python: "lambda s: [m[0] for m in NAMED_REPLACEMENT.finditer(s)]",
    javascript: (s: string) => s.match(/\$([$&`']|\d\d?|<[^>]*>)/g) ?? [],
    arguments: one(template),
  },
  {
    piece: "expand",
    python:
      "lambda template, s: __import__('re').sub('([ab])|(?P<n>[A-Z])', lambda m: expand(template, m), s)",
    javascript: (by: string, s: string) => s.replaceAll(hostilePattern(), by),
    arguments: (random) => [template(random), text(random)],
  },
  {
    piece: "expand",
    python: "lambda template, s: __import__('re').sub('([ab])(Z)?', lambda m: expand(template, m), s)",
    javascript: (by: string, s: string) => s.replaceAll(/([ab])(Z)?/g, by),
    arguments: (random) => [template(random), text(random)],
  },
  {
    piece: "search",
    python: "lambda s: search(__import__('re').compile('[ab]'), s)",
    javascript: (s: string) => s.search(/[ab]/),
    arguments: one(text),
  },
  { piece: "string", javascript: (v: unknown) => String(v), arguments: one(optional(scalar)) },
  {
    piece: "string",
    javascript: (v: unknown) => String(v),
    arguments: one((random) =>
      listOf(random, () => (random() < 0.2 ? listOf(random, scalar) : optional(scalar)(random))),
    ),
  },
  { piece: "number", javascript: (v: number) => String(v), arguments: one(number) },
  {
    piece: "to_fixed",
    javascript: (v: number, digits: number) => v.toFixed(digits),
    arguments: (random) => [
      number(random),
      random() < 0.95 ? upTo(random, 8) : pick(random, [20, 100, 101, -1, 1.9]),
    ],
  },
  {
    piece: "to_fixed",
    javascript: (v: number, digits: number) => v.toFixed(digits),
    arguments: (random) => {
      const digits = upTo(random, 6);
      return [((random() - 0.5) * 200 * 10 ** digits + 0.5) / 10 ** digits, digits];
    },
  },
  {
    piece: "to_fixed",
    javascript: (v: number, digits: number) => v.toFixed(digits),
    arguments: (random) => [(upTo(random, 4000) - 2000) / 2 ** upTo(random, 9), upTo(random, 8)],
  },
  {
    piece: "to_radix",
    javascript: (v: number, radix: number) => v.toString(radix),
    arguments: (random) => [
      random() < 0.1
        ? pick(random, [Number.NaN, -0, Number.POSITIVE_INFINITY])
        : Math.round((random() - 0.5) * 2 ** upTo(random, 53)),
      upTo(random, 38),
    ],
  },
  { piece: "div", javascript: (a: number, b: number) => a / b, arguments: two },
  { piece: "rem", javascript: (a: number, b: number) => a % b, arguments: two },
  { piece: "floor", javascript: Math.floor, arguments: one(number) },
  { piece: "ceil", javascript: Math.ceil, arguments: one(number) },
  { piece: "trunc", javascript: Math.trunc, arguments: one(number) },
  { piece: "round_half_up", javascript: Math.round, arguments: one(number) },
  { piece: "sign", javascript: Math.sign, arguments: one(number) },
  { piece: "sqrt", javascript: Math.sqrt, arguments: one(number) },
  { piece: "largest", javascript: Math.max, arguments: numbersOf },
  { piece: "smallest", javascript: Math.min, arguments: numbersOf },
  { piece: "to_int32", javascript: (x: number) => x | 0, arguments: one(number) },
  { piece: "to_uint32", javascript: (x: number) => x >>> 0, arguments: one(number) },
  { piece: "fround", javascript: Math.fround, arguments: one(number) },
  {
    piece: "fround",
    javascript: Math.fround,
    arguments: one((random) => 3.4028234663852886e38 * (1 + (random() - 0.5) * 2 ** -22)),
  },
  { piece: "clamp_byte", javascript: (x: number) => Uint8ClampedArray.of(x)[0], arguments: one(number) },
  { piece: "is_integer", javascript: Number.isInteger, arguments: one(number) },
  { piece: "is_safe_integer", javascript: Number.isSafeInteger, arguments: one(number) },
  {
    piece: "NUMBER",
    python: "lambda s: float(NUMBER.match(s)[0]) if NUMBER.match(s) else 0",
    javascript: (s: string) => Number.parseFloat(/^\s/.test(s) ? "0" : s) || 0 * (/^-\.?0/.test(s) ? -1 : 1),
    arguments: one((random) => String(number(random))),
  },
  { piece: "to_number", javascript: Number, arguments: one(hostileNumberText) },
  { piece: "parse_float", javascript: Number.parseFloat, arguments: one(hostileNumberText) },
  {
    piece: "parse_int",
    javascript: (s: string, radix: number | undefined) => {
      const value = Number.parseInt(s, radix);
      if (radix === 36 && Math.abs(value) > 2 ** 53)
        throw notPortable("an integer beyond 2 ** 53 in base 36");
      return value;
    },
    arguments: (random) => [
      hostileNumberText(random),
      pick(random, [undefined, 10, 10, 16, 2, 8, 0, 36, 37, 1, -1, Number.NaN, 2 ** 32 + 16]),
    ],
  },
  {
    piece: "big_div",
    javascript: (a: bigint, b: bigint) => a / b,
    arguments: (random) => [bigint(random), bigint(random)],
  },
  {
    piece: "big_rem",
    javascript: (a: bigint, b: bigint) => a % b,
    arguments: (random) => [bigint(random), bigint(random)],
  },
  {
    piece: "as_int",
    javascript: (bits: number, v: bigint) => BigInt.asIntN(bits, v),
    arguments: (random) => [pick(random, [0, 1, 8, 32, 63, 64]), bigint(random)],
  },
  {
    piece: "as_uint",
    javascript: (bits: number, v: bigint) => BigInt.asUintN(bits, v),
    arguments: (random) => [pick(random, [0, 1, 8, 32, 63, 64]), bigint(random)],
  },
  { piece: "bigint", javascript: (v: number) => BigInt(v), arguments: one(number) },
  { piece: "text_bigint", javascript: (v: string) => BigInt(v), arguments: one(hostileNumberText) },
  { piece: "big_number", javascript: (v: bigint) => Number(v), arguments: one(bigint) },
  {
    piece: "big_number",
    javascript: (v: bigint) => Number(v),
    arguments: one((random) => bigint(random) ** BigInt(upTo(random, 20))),
  },
  {
    piece: "sorted_as_v8",
    python: "lambda xs: sorted_as_v8(xs, lambda a, b: a - b)",
    javascript: (xs: readonly number[]) => xs.toSorted((a, b) => a - b),
    arguments: one((random) => listOf(random, number, 400)),
  },
  {
    piece: "sorted_as_v8",
    python: "lambda xs: sorted_as_v8(xs, lambda a, b: (a * 7 + b * 13) % 5 - 2)",
    javascript: (xs: readonly number[]) => xs.toSorted((a, b) => ((a * 7 + b * 13) % 5) - 2),
    arguments: one((random) => listOf(random, () => upTo(random, 100), 600)),
  },
  {
    piece: "sorted_by_number",
    python: "lambda xs: sorted_by_number(xs, lambda a: -a)",
    javascript: (xs: readonly number[]) => xs.toSorted((a, b) => b - a),
    arguments: one((random) => listOf(random, () => (random() < 0.6 ? Number.NaN : upTo(random, 30)), 500)),
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
        throw notPortable("an assignment beyond the end of an array makes a hole");
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
    // Nothing between: an array of such a length exists.
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
    piece: "put_in",
    python: "lambda k: [*put_in(put_in({}, k, 1.0), 'a', 2.0).items()]",
    javascript: (k: string) => [...new Map().set(k, 1).set("a", 2)],
    arguments: (random) => [hostileText(random)],
  },
  {
    piece: "type_name",
    javascript: (v: unknown) => typeof v,
    arguments: (random) => [
      pick<unknown>(random, [undefined, null, true, "a", 1, 0.5, Number.NaN, [], [1], { a: 1 }, new Map()]),
    ],
  },
  {
    piece: "replace",
    python: "lambda s, a, b: [replace(s, a, b), replace(s, a, b, 1)]",
    javascript: (s: string, a: string, b: string) => [s.replaceAll(a, b), s.replace(a, b)],
    arguments: (random) => [
      hostileText(random),
      pick(random, ["", "a", " ", "$", "b", "\u{1f600}"]),
      pick(random, ["", "x", "$", "$$", "$&$&", "<$`|$'>", "$1", "$<a>", "\\1", "$$$&"]),
    ],
  },
  {
    piece: "own_name",
    python: "lambda o, k: own_name(o, k)",
    javascript: (o: object, k: string) => {
      if (k in {} && !Object.hasOwn(o, k))
        throw notPortable(`property '${k}' is inherited in JavaScript: use a Map`);
      return k;
    },
    arguments: (random) => [
      pick<object>(random, [{}, { a: 1 }, { constructor: 1 }]),
      pick(random, ["a", "constructor", "toString", "__proto__", ""]),
    ],
  },
  {
    piece: "new_name",
    javascript: (k: string) => {
      if (k === "__proto__") throw notPortable("property '__proto__' is inherited in JavaScript: use a Map");
      return k;
    },
    arguments: (random) => [pick(random, ["a", "constructor", "__proto__", ""])],
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
    piece: "ARRAY_INDEX",
    python: "lambda s: bool(ARRAY_INDEX.fullmatch(s))",
    javascript: (s: string) => /^(?:0|[1-9][0-9]{0,9})$/.test(s),
    arguments: one(hostileNumberText),
  },
  { piece: "keys", javascript: Object.keys, arguments: one((random) => record(random, number)) },
  { piece: "entries", javascript: Object.entries, arguments: one((random) => record(random, number)) },
  {
    piece: "INHERITED",
    python: "lambda k: k in INHERITED",
    javascript: (k: string) => k in {},
    arguments: one((random) =>
      random() < 0.5
        ? pick(random, [...Object.getOwnPropertyNames(Object.prototype), "length", "name"])
        : text(random),
    ),
  },
  {
    piece: "prop",
    javascript: (o: Record<string, unknown>, k: string) => {
      if (k in {} && !Object.hasOwn(o, k))
        throw notPortable(`property '${k}' is inherited in JavaScript: use a Map`);
      return o[k];
    },
    arguments: (random) => {
      const o = record(random, number);
      return [o, random() < 0.5 ? pick(random, [...Object.keys(o), "toString", "__proto__"]) : text(random)];
    },
  },
  { piece: "quote", javascript: (s: string) => JSON.stringify(s), arguments: one(text) },
  { piece: "stringify", javascript: (v: unknown) => JSON.stringify(v), arguments: one(json) },
  {
    piece: "stringify",
    javascript: (v: unknown, indent: string) => JSON.stringify(v, null, indent),
    arguments: (random) => [json(random), pick(random, ["", "  ", "\t"])],
  },
  { piece: "json_number", javascript: (v: number) => JSON.stringify(v), arguments: one(number) },
  {
    piece: "plain_json",
    javascript: (v: unknown) => JSON.stringify(v),
    arguments: one((random) => listOf(random, text)),
  },
  { piece: "lower", javascript: (s: string) => s.toLowerCase(), arguments: one(text) },
  { piece: "upper", javascript: (s: string) => s.toUpperCase(), arguments: one(text) },
  {
    piece: "lower",
    javascript: (s: string) => s.toLowerCase(),
    arguments: one((random) => allCharacters(random)),
  },
  {
    piece: "upper",
    javascript: (s: string) => s.toUpperCase(),
    arguments: one((random) => allCharacters(random)),
  },
  {
    piece: "normalize",
    javascript: (s: string, form: string) => s.normalize(form),
    // Python refuses aloud what its Unicode does not know.
    arguments: (random) => [
      text(random).replaceAll(/\p{Cn}/gu, ""),
      pick(random, ["NFC", "NFD", "NFKC", "NFKD"]),
    ],
  },
  {
    piece: "split_pairs",
    python: "lambda s: split_pairs({'a': [chr(0x1f600) + s, None, 1.5], chr(0x1f600): True})",
    javascript: (s: string) => ({ a: [`\u{1f600}${s}`, null, 1.5], "\u{1f600}": true }),
    arguments: one(() => "x"),
  },
  {
    piece: "parse",
    javascript: (s: string) => {
      try {
        return JSON.parse(s) as unknown;
      } catch {
        throw new SyntaxError("the text is no JSON");
      }
    },
    arguments: one((random) => {
      const whole = JSON.stringify(json(random));
      if (random() < 0.3) return hostileNumberText(random);
      if (random() < 0.3)
        return whole.replaceAll(
          /[^\x20-\x7e]/g,
          (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      const place = upTo(random, whole.length);
      return random() < 0.3 ? `${whole.slice(0, place)}${text(random)}${whole.slice(place + 1)}` : whole;
    }),
  },
];

/** 2,400 characters from anywhere but the sigma, whose small form depends on its neighbours: a thousand such texts see most. */
function allCharacters(random: Random): string {
  const start = upTo(random, 0x10ffff - 2400);
  return Array.from({ length: 2400 }, (_, at) => String.fromCodePoint(start + at))
    .join("")
    .replaceAll("\u03a3", "");
}

function notPortable(message: string): Error {
  return Object.assign(new Error(message), { name: "NotPortable" });
}

function template(random: Random): string {
  return listOf(random, () =>
    pick(random, [
      "$",
      "$$",
      "$&",
      "$`",
      "$'",
      "$1",
      "$2",
      "$12",
      "$01",
      "$00",
      "$3",
      "$<n>",
      "$<x>",
      "$<n",
      "a",
      "\\",
      "\\1",
      "\u{1f600}",
      "$٣",
    ]),
  ).join("");
}
