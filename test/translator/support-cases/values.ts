import { hostileNumber, hostileNumberText, hostileText, listOf, pick, upTo } from "../hostile.ts";
import { text, number, optional, json, record, textAnd, one, two, notPortable } from "./arguments.ts";
import type { SupportCase } from "./support-case.ts";

export const valuesSupportCases: readonly SupportCase[] = [
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
        throw new SyntaxError("the text is not JSON");
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
];
