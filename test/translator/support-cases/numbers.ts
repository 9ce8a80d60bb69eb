import {
  hostileBigint,
  hostileNumber,
  hostileNumberText,
  listOf,
  pick,
  upTo,
  type Random,
} from "../hostile.ts";
import { number, optional, scalar, one, two, notPortable, finite } from "./arguments.ts";
import type { SupportCase } from "./support-case.ts";

const bigint = hostileBigint;
const numbersOf = (random: Random): readonly unknown[] => listOf(random, number);

export const numbersSupportCases: readonly SupportCase[] = [
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
    piece: "to_precision",
    javascript: (value: number, precision: number | undefined) => value.toPrecision(precision),
    arguments: (random) => [
      hostileNumber(random),
      pick(random, [undefined, 1, 2, 3, 7, 17, 21, 100, 101, 0, 1.9]),
    ],
  },
  {
    piece: "to_exponential",
    javascript: (value: number, digits: number | undefined) => value.toExponential(digits),
    arguments: (random) => [
      hostileNumber(random),
      pick(random, [undefined, 0, 1, 2, 7, 20, 100, 101, -1, 1.9]),
    ],
  },
  {
    piece: "rounded_digits",
    python: "lambda v, count: list(rounded_digits(v, count and int(count)))",
    javascript: (value: number, count: number | null) => {
      const [, sign, digits = "", exponent] =
        /^(-?)(.*)e(.*)$/.exec(value.toExponential(count === null ? undefined : count - 1)) ?? [];
      return [sign, digits.replace(".", ""), Number(exponent)];
    },
    arguments: (random) => [finite(random), pick(random, [null, 1, 2, 5, 17, 60])],
  },
  {
    piece: "power",
    javascript: (base: number, exponent: number) => {
      if (Number.isNaN(base) || Number.isNaN(exponent) || exponent === 0 || Math.abs(exponent - 1.5) === 0.5)
        return base ** exponent;
      const isCount = Number.isSafeInteger(exponent) && exponent > 0;
      if (isCount && Math.abs(base) <= 1) return base ** exponent;
      const power = isCount && exponent < 1024 ? BigInt(base) ** BigInt(exponent) : 0n;
      if (
        power !== 0n &&
        Math.abs(Number(power)) < Number.POSITIVE_INFINITY &&
        BigInt(Number(power)) === power
      )
        return Number(power);
      throw Object.assign(new Error("a power that is not an exact integer"), { name: "NotPortable" });
    },
    arguments: (random) => [
      pick(random, [0, 1, -1, 2, -2, 3, 10, -10, 2 ** 20, upTo(random, 100_000), Number.NaN]),
      pick(random, [...Array(12).keys(), 22, 23, 51, 600, 1023, 1024, -1, 0.5, 2 ** 53, Number.NaN, 1 / 0]),
    ],
  },
  {
    piece: "same_number",
    javascript: (left: number, right: number) => Object.is(left, right),
    arguments: (random) => {
      const left = hostileNumber(random);
      return [left, pick(random, [left, -left, hostileNumber(random)])];
    },
  },
  {
    piece: "big_power",
    javascript: (base: bigint, exponent: bigint) => {
      if (exponent >= 0n) return base ** exponent;
      const message = "a negative power of a bigint, for which Node versions have different messages";
      throw Object.assign(new Error(message), { name: "NotPortable" });
    },
    arguments: (random) => [hostileBigint(random), BigInt(upTo(random, 9) - 1)],
  },
];
