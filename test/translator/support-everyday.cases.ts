import { hostileBigint, hostileNumber, hostileText, listOf, pick, type Random, upTo } from "./hostile.ts";
import type { SupportCase } from "./support.cases.ts";

/** What ordinary functions call beside the arithmetic and the texts of `supportCases`. */
export const everydaySupportCases: readonly SupportCase[] = [
  {
    piece: "count_on",
    python: "lambda r, k, by: [count_on(r, k, float(by)), r]",
    javascript: (record: Record<string, number>, name: string, by: number) => [
      (record[name] = record[name]! + by),
      record,
    ],
    arguments: (random) => [{ n: hostileNumber(random), m: 2 }, "n", pick(random, [1, -1])],
  },
  {
    piece: "count_after",
    python: "lambda r, k, by: [count_after(r, k, float(by)), r]",
    javascript: (record: Record<string, number>, name: string, by: number) => {
      const before = record[name]!;
      record[name] = before + by;
      return [before, record];
    },
    arguments: (random) => [{ n: hostileNumber(random), m: 2 }, "n", pick(random, [1, -1])],
  },
  {
    piece: "replace_by",
    with: ["number"],
    python: 'lambda s, part: replace_by(s, part, lambda it, at, whole: f"<{it}{at}{len(whole)}>", 3)',
    javascript: (whole: string, part: string) =>
      whole.replaceAll(part, (it, at: number, all: string) => `<${it}${at}${all.length}>`),
    arguments: textAndPart,
  },
  {
    piece: "replace_by",
    python: "lambda s, part: replace_by(s, part, lambda it: it + it, 1, 1)",
    javascript: (whole: string, part: string) => whole.replace(part, (it) => it + it),
    arguments: textAndPart,
  },
  {
    piece: "split_between",
    python: 'lambda s: split_between(__import__("re").compile("(?=[a-mA-M])"), s)',
    javascript: (whole: string) => whole.split(/(?=[a-mA-M])/),
    arguments: (random) => [hostileText(random)],
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
      throw Object.assign(new Error("a power that is no exact integer"), { name: "NotPortable" });
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
      const message = "a bigint to the power of a negative one, which Nodes refuse in different words";
      throw Object.assign(new Error(message), { name: "NotPortable" });
    },
    arguments: (random) => [hostileBigint(random), BigInt(upTo(random, 9) - 1)],
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
  {
    piece: "from_utf8",
    javascript: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
    arguments: (random) => [
      Uint8Array.from(
        random() < 0.4
          ? [...Buffer.from(hostileText(random))].filter(() => random() < 0.9)
          : listOf(
              random,
              () => pick(random, [0x61, 0xef, 0xbb, 0xbf, 0xed, 0xa0, 0xf0, 0x9f, 0xc0, 0x80, 0xff]),
              12,
            ),
      ),
    ],
  },
  {
    piece: "to_base64",
    javascript: (whole: string) => btoa(whole),
    arguments: (random) => [random() < 0.8 ? latin(random) : hostileText(random)],
  },
  {
    piece: "from_base64",
    javascript: (whole: string) => atob(whole),
    arguments: (random) => {
      const coded = btoa(latin(random));
      const cut =
        random() < 0.3 ? coded.slice(upTo(random, 3)) : coded.replace(/=+$/, (it) => pick(random, [it, ""]));
      return [random() < 0.3 ? cut + pick(random, [" ", "\n", "=", "==", "===", "-", "é", "A", "A="]) : cut];
    },
  },
  {
    piece: "encode_component",
    javascript: (whole: string) => encodeURIComponent(whole),
    arguments: (random) => [hostileText(random)],
  },
  {
    piece: "decode_component",
    javascript: (whole: string) => decodeURIComponent(whole),
    arguments: (random) => {
      const coded = encodeURIComponent(hostileText(random).replaceAll(/\p{Surrogate}/gu, ""));
      return [
        random() < 0.5
          ? coded
          : coded + pick(random, ["%", "%4", "%C3", "%ed%a0%80", "%C0%80", "é%41", "%e4%"]),
      ];
    },
  },
  {
    piece: "clone",
    python: "lambda v: [clone(v), clone(v) == v]",
    javascript: (value: unknown) => [structuredClone(value), true],
    arguments: (random) => [
      { list: listOf(random, hostileText), record: { n: finite(random), none: null }, flag: true },
    ],
  },
  {
    piece: "clone",
    python: "lambda v: (lambda c: [c[0] is c[1], c[0] is v, c])(clone([v, v]))",
    javascript: (value: unknown) => [true, false, structuredClone([value, value])],
    arguments: (random) => [listOf(random, hostileText)],
  },
];

function textAndPart(random: Random): readonly unknown[] {
  const whole = hostileText(random);
  const start = upTo(random, whole.length);
  return [whole, random() < 0.8 ? whole.slice(start, start + upTo(random, 2)) : hostileText(random)];
}

function latin(random: Random): string {
  return String.fromCharCode(...listOf(random, () => upTo(random, 255), 9));
}

function finite(random: Random): number {
  const value = hostileNumber(random);
  return Number.isFinite(value) ? value : 0.1;
}
