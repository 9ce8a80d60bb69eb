import { createRequire } from "node:module";
import * as shapes from "./shared/shapes.ts";
import * as even from "./shared/even.ts";
import { table } from "./shared/even.ts";
import Languages, { evaluated, greet, greeted, load } from "./shared/languages.ts";
import rates from "./shared/rates.json" with { type: "json" };
import type { Case } from "./case.ts";
import { strangers, strings } from "./rows.ts";
export * as everything from "./shared/even.ts";

const words = await load();
const [{ inspect }, os] = await Promise.all([import("node:util"), import("node:os")]);

let failure = "";
try {
  await Promise.reject(new RangeError("at the top"));
} catch (error) {
  failure = String(error);
}

const require = createRequire(import.meta.url);

const fromJson = (key: string): unknown => ({
  value: String((rates as Readonly<Record<string, unknown>>)[key]),
  own: Object.hasOwn(rates, key),
  keys: Object.keys(rates),
  deep: rates.deep,
  proto: Object.getPrototypeOf(rates) === Object.prototype,
});

const topLevel = (word: string): unknown => [words.get(word) ?? null, failure, os.EOL, words.size];

const lazily = async (language: string): Promise<unknown> => {
  switch (language) {
    case "de": {
      const { greet, default: Made, ...others } = await import("./shared/languages.ts");
      return [greet(" Ada "), Made.title, others.evaluated, Object.keys(others)];
    }
    case "json":
      return (await import("./shared/rates.json", { with: { type: "json" } })).default.deep;
    case "zlib":
      return (await import("node:zlib")).crc32("abc");
    case "yaml":
      return (await import("yaml")).parse("a: [1, 2]");
    case "colors":
      return (await import("picocolors")).default.createColors(true).red("x");
    default:
      throw new TypeError(`no module for ${inspect(language)}`);
  }
};

const live = (names: string[]): unknown => {
  const before = greeted;
  const texts = names.map((name) => greet(name));
  return { texts, more: (greeted - before + 1000) % 1000, evaluated };
};

const namespaceOf = (key: string): unknown => ({
  keys: Object.keys(shapes),
  has: key in even,
  type: typeof (even as Readonly<Record<string, unknown>>)[key],
  names: [Languages.title, shapes.describe(key), new shapes.Node(key).label.slice(0, 40)],
});

const circular = ({ n, which }: { n: number; which: string }): boolean => table[which]!(n);

const place = (name: string): unknown => ({
  file: import.meta.url.split("/").slice(-2),
  path: [import.meta.filename.split("/").at(-1), import.meta.dirname.split("/").at(-1)],
  beside: new URL(name, "file:///models/run.mjs").pathname,
});

const required = (text: string): unknown => {
  const { createHash } = require("node:crypto") as typeof import("node:crypto");
  const { posix } = process.getBuiltinModule("node:path");
  return [createHash("sha1").update(text).digest("hex"), posix.basename(text).slice(0, 20)];
};

export const cases: readonly Case[] = [
  { name: "fromJson", run: fromJson, rows: ["eur", "usd", "10", "__proto__", "toString", "", 5, null] },
  { name: "topLevel", run: topLevel, rows: ["und", "oder", "", "__proto__", ...strangers] },
  { name: "lazily", run: lazily, rows: ["de", "json", "zlib", "yaml", "colors", "", "fr", ...strangers] },
  { name: "live", run: live, rows: [["Ada", " Bob "], [], ["", "__proto__"], [null], [5], "ab", null] },
  {
    name: "namespaceOf",
    run: namespaceOf,
    rows: ["isEven", "table", "default", "__proto__", "toString", "", null, 5],
  },
  {
    name: "circular",
    run: circular,
    rows: [
      { n: 10, which: "isEven" },
      { n: 7, which: "isOdd" },
      { n: 0, which: "isOdd" },
      { n: "4", which: "isEven" },
      { n: 1, which: "isPrime" },
      { n: 1, which: "toString" },
      { n: 0.5, which: "none" },
      null,
    ],
  },
  { name: "place", run: place, rows: ["labels.txt", "../x", "", "/a b", "ü", null] },
  { name: "required", run: required, rows: [...strings.slice(0, 14), null, 5] },
];
