import { strictEqual, deepStrictEqual } from "node:assert";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { EventEmitter } from "node:events";
import { basename, extname, posix, relative, resolve } from "node:path";
import { format, inspect, parseArgs } from "node:util";
import { gunzipSync, gzipSync, inflateRawSync } from "node:zlib";
import type { Case } from "./case.ts";
import { strangers, strings } from "./rows.ts";

const encodings = (text: string): unknown => ({
  hex: Buffer.from(text).toString("hex").slice(0, 100),
  base64: Buffer.from(text, "utf8").toString("base64").slice(-60),
  url: Buffer.from(text).toString("base64url").slice(0, 60),
  latin1: Buffer.from(text, "latin1").toString("latin1").slice(0, 60),
  utf16: Buffer.from(text, "utf16le").length,
  bytes: Buffer.byteLength(text),
});

const decoded = ({ base64, encoding }: { base64: string; encoding: string }): string =>
  new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(
    Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
  );

const btoaAtob = (text: string): string => atob(btoa(text));

const safeBase64 = (text: string): string => btoa(String.fromCodePoint(...new TextEncoder().encode(text)));

const intoBuffer = (text: string): unknown => {
  const target = new Uint8Array(16);
  const { read, written } = new TextEncoder().encodeInto(text, target);
  return { read, written, back: new TextDecoder().decode(target.subarray(0, written)) };
};

const urlParts = ({ url, base }: { url: string; base?: string }): unknown => {
  const { protocol, host, pathname, search, hash, username, origin, href } = new URL(url, base);
  return { protocol, host, pathname, search, hash, username, origin, href };
};

const queries = (query: string): unknown => {
  const parameters = new URLSearchParams(query);
  parameters.append("added", "ä &=");
  parameters.sort();
  return { all: Object.fromEntries(parameters), text: parameters.toString(), first: parameters.getAll("a") };
};

const utm = (url: string): string => {
  const cleaned = new URL(url);
  for (const key of [...cleaned.searchParams.keys()])
    if (key.startsWith("utm_")) cleaned.searchParams.delete(key);
  return cleaned.href;
};

const percent = (text: string): unknown => [encodeURIComponent(text).slice(0, 200), encodeURI(text).length];
const unpercent = (text: string): unknown => [decodeURIComponent(text), decodeURI(text)];

const cloned = (value: unknown): unknown => {
  const graph: Record<string, unknown> = {
    value,
    at: new Date(0),
    list: new Map([[1, value]]),
    set: new Set([value]),
  };
  graph["self"] = graph;
  const copy = structuredClone(graph);
  return {
    self: copy["self"] === copy,
    list: [...(copy["list"] as Map<number, unknown>)],
    text: JSON.stringify(copy["value"]),
  };
};

const notCloned = (kind: string): unknown =>
  structuredClone({ function: () => kind, symbol: Symbol(kind), nothing: undefined }[kind as "nothing"]) ??
  "nothing";

const HASHES = ["md5", "sha1", "sha256", "sha512", "sha3-256"] as const;
const hashes = (text: string): unknown =>
  HASHES.map((name) => createHash(name).update(text, "utf8").digest("base64url"));

const hashOf = ({ algorithm, text }: { algorithm: string; text: string }): string =>
  createHash(algorithm).update(text).digest("hex");

const digest = async (text: string): Promise<unknown> => {
  const bytes = await crypto.subtle.digest("SHA-384", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
};

const signed = ({ key, text, signature }: { key: string; text: string; signature?: string }): unknown => {
  const made = createHmac("sha256", key).update(text).digest();
  return signature === undefined
    ? made.toString("hex")
    : timingSafeEqual(made, Buffer.from(signature, "hex"));
};

/** The variant of an A/B test that a user is in, without state. */
const bucket = ({ user, shares }: { user: string; shares: Record<string, number> }): string => {
  const point = createHash("sha256").update(user).digest().readUInt32BE() / 2 ** 32;
  let sum = 0;
  for (const [name, share] of Object.entries(shares)) if (point < (sum += share)) return name;
  throw new RangeError(`${user} is in no share, at ${point}`);
};

const packed = (text: string): unknown => {
  const small = gzipSync(text, { level: 9 });
  return {
    same: gunzipSync(small).toString() === Buffer.from(text).toString(),
    start: [...small.subarray(0, 3)],
  };
};
const inflated = (base64: string): string => inflateRawSync(Buffer.from(base64, "base64")).toString();

const paths = (path: string): unknown => [
  posix.normalize(path),
  basename(path, ".gz"),
  extname(path),
  relative("/models/a", resolve("/models", path)),
  posix.join("/a", path, "..", "b").slice(0, 200),
];

const printed = (value: unknown): unknown => [
  inspect(value, { depth: 3, breakLength: 60 }).slice(0, 400),
  format("%s %d %j %o", value, value, value, "x").slice(0, 400),
];

const events = (names: string[]): unknown => {
  const emitter = new EventEmitter();
  const log: string[] = [];
  emitter.on("data", (value: string) => log.push(`data ${value}`)).once("end", () => log.push("end"));
  for (const name of names) log.push(`${emitter.emit(name, "x")}`);
  return log;
};

const asserted = ([a, b]: [unknown, unknown]): string => {
  deepStrictEqual(a, b);
  strictEqual(typeof a, "object", "both are primitives");
  return "same";
};

const args = (given: string[]): unknown => {
  const { values, positionals } = parseArgs({
    args: given,
    options: {
      model: { type: "string", short: "m" },
      verbose: { type: "boolean" },
      tag: { type: "string", multiple: true },
    },
    allowPositionals: true,
  });
  return { values: { ...values }, positionals };
};

export const cases: readonly Case[] = [
  { name: "encodings", run: encodings, rows: [...strings, 5, null] },
  {
    name: "decoded",
    run: decoded,
    rows: [
      { base64: "w6TDtg==", encoding: "utf-8" },
      { base64: "5Pb8", encoding: "latin1" },
      { base64: "5Pb8", encoding: "utf-8" },
      { base64: "gqCCog==", encoding: "shift_jis" },
      { base64: "//4=", encoding: "utf-16le" },
      { base64: "AA", encoding: "nothing" },
      { base64: "*", encoding: "utf-8" },
      {},
    ],
  },
  { name: "btoaAtob", run: btoaAtob, rows: strings },
  { name: "safeBase64", run: safeBase64, rows: strings },
  { name: "intoBuffer", run: intoBuffer, rows: strings },
  {
    name: "urlParts",
    run: urlParts,
    rows: [
      { url: "https://user:pw@bücher.example:8443/a/../b%20c?q=ä#top" },
      { url: "../x?y", base: "http://h/a/b/c" },
      { url: "no url" },
      { url: "http://[::1]:99999/" },
      { url: "data:text/plain,hi" },
      { url: "HTTP://EXAMPLE.com:80/%7Efoo/\ud800" },
      { url: "//host", base: "mailto:x" },
      { url: "http://a b/" },
      {},
    ],
  },
  {
    name: "queries",
    run: queries,
    rows: [...strings, "a=1&b=2&a=3&c", "?__proto__=x&a=%F0%9F%98%80", "a=%ff"],
  },
  {
    name: "utm",
    run: utm,
    rows: ["https://x.de/?utm_source=a&id=5&utm_medium=b#z", "https://x.de/?", "x.de", "", null],
  },
  { name: "percent", run: percent, rows: strings },
  { name: "unpercent", run: unpercent, rows: [...strings, "%F0%9F%98%80", "%ED%A0%80", "%41%2f"] },
  { name: "cloned", run: cloned, rows: strangers },
  { name: "notCloned", run: notCloned, rows: ["function", "symbol", "nothing", "__proto__", "toString"] },
  { name: "hashes", run: hashes, rows: strings },
  {
    name: "hashOf",
    run: hashOf,
    rows: [
      { algorithm: "sha256", text: "abc" },
      { algorithm: "sha-1", text: "abc" },
      { algorithm: "none", text: "" },
      { algorithm: "RSA-SHA512", text: "é" },
      { algorithm: "sha256" },
      { text: "a" },
    ],
  },
  { name: "digest", run: digest, rows: strings },
  {
    name: "signed",
    run: signed,
    rows: [
      { key: "k", text: "t" },
      { key: "", text: "" },
      { key: "k", text: "t", signature: "00" },
      { key: "k", text: "t", signature: "0".repeat(64) },
      { key: null, text: "t" },
      { key: "k" },
    ],
  },
  {
    name: "bucket",
    run: bucket,
    rows: [
      ...strings.map((user) => ({ user, shares: { a: 0.5, b: 0.3, c: 0.2 } })),
      { user: "x", shares: {} },
      { user: "u2", shares: { a: 0.01, __proto__: null } },
      { user: 5, shares: {} },
    ],
  },
  { name: "packed", run: packed, rows: [...strings, null] },
  { name: "inflated", run: inflated, rows: ["y0jNyckHAA==", "", "AAAA", "!!!!", "/////w=="] },
  {
    name: "paths",
    run: paths,
    rows: ["a/b.tar.gz", "/x/../../y", "", ".", "..\\w", ".hidden", "a//b/./c/", "日本.txt", null],
  },
  {
    name: "printed",
    run: printed,
    rows: [
      ...strangers,
      { a: { b: { c: { d: { e: 1 } } } }, text: "it's", list: Array.from({ length: 120 }, (_, at) => at) },
    ],
  },
  {
    name: "events",
    run: events,
    rows: [["data", "end", "end", "other"], [], ["error"], ["__proto__"], [null], "ab"],
  },
  {
    name: "asserted",
    run: asserted,
    rows: [
      [{ a: [1] }, { a: [1] }],
      [1, 1],
      [{ a: 1 }, { a: "1" }],
      [
        [1, 2, 3],
        [1, 2, 4],
      ],
      [1, 2],
      [null, null],
      [[], {}],
      5,
    ],
  },
  {
    name: "args",
    run: args,
    rows: [
      ["-m", "bert", "--tag=a", "--tag", "b", "x"],
      [],
      ["--verbose", "--", "--model"],
      ["--unknown"],
      ["--model"],
      ["--verbose=1"],
      ["-m"],
      [5],
      {},
    ],
  },
];
