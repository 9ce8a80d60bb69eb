import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { valuesOf } from "@tritype/core";
import type { ModelMetadata } from "@tritype/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readDataset } from "./dataset.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tritype-dataset-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const model = (name: string, datatype: string, shape: readonly number[]): ModelMetadata => ({
  name: "m",
  versions: ["1"],
  platform: "",
  inputs: [{ name, datatype, shape }],
  outputs: [],
});
const numbers = model("x", "FP32", [-1, 4]);
const text = model("text", "BYTES", [-1, 1]);
const big = model("n", "INT64", [-1, 1]);

const read = (file: string, content: string | Uint8Array, of: ModelMetadata) => {
  writeFileSync(join(folder, file), content);
  return readDataset(join(folder, file), of).map(
    ({ where, inputs }) => [where, ...[...inputs.values()].map(valuesOf)] as const,
  );
};

test.each<[string, string, string | Uint8Array, ModelMetadata, unknown]>([
  [
    "lines of JSON, empty ones left out",
    "x.jsonl",
    '{ "x": [1, 2, 3, 4] }\r\n\n{ "x": [[5, 6, 7, 8], [0, 0, 0, 0]] }\n',
    numbers,
    [
      ["x.jsonl:1", [1, 2, 3, 4]],
      ["x.jsonl:3", [5, 6, 7, 8, 0, 0, 0, 0]],
    ],
  ],
  ["integers above 2^53", "n.jsonl", '{ "n": 9007199254740993 }', big, [["n.jsonl:1", [9007199254740993n]]]],
  [
    "lines of text",
    "t.txt",
    "a cat\n\n{ no JSON \n",
    text,
    [
      ["t.txt:1", ["a cat"]],
      ["t.txt:3", ["{ no JSON "]],
    ],
  ],
  ["a list", "t.json", '[{ "text": "a" }]', text, [["t.json, request 1", ["a"]]]],
  ["a byte order mark", "b.txt", Uint8Array.of(0xef, 0xbb, 0xbf, 97), text, [["b.txt:1", ["a"]]]],
])("%s", (_, file, content, of, expected) => {
  expect(read(file, content, of)).toEqual(expected);
});

const perLine = (input: string): string => `write one request on each line: { "${input}": … }`;

test.each<[string, string, string | Uint8Array, ModelMetadata, string, RegExp, string]>([
  ["empty", "x.jsonl", "\n \n", numbers, "request/invalid", /x\.jsonl contains no requests$/, perLine("x")],
  [
    "an empty list",
    "x.json",
    "[]",
    numbers,
    "request/invalid",
    /x\.json contains no requests$/,
    perLine("x"),
  ],
  [
    "no list",
    "x.json",
    "{}",
    numbers,
    "request/invalid",
    /^x\.json does not contain a list of requests$/,
    perLine("x"),
  ],
  [
    "no JSON",
    "x.jsonl",
    '{ "x": [1, 2, 3, 4] }\n{ "x": [',
    numbers,
    "request/invalid",
    /^x\.jsonl:2: it is not JSON/,
    perLine("x"),
  ],
  [
    "no object",
    "x.jsonl",
    "\n3",
    numbers,
    "request/invalid",
    /^x\.jsonl:2: it is not an object of inputs$/,
    perLine("x"),
  ],
  [
    "another name",
    "x.jsonl",
    '{ "xx": 1 }',
    numbers,
    "request/invalid",
    /^x\.jsonl:1: `m` has no input `xx`$/,
    perLine("x"),
  ],
  [
    "a missing input",
    "x.jsonl",
    "{}",
    numbers,
    "request/invalid",
    /^x\.jsonl:1: `m` needs the input `x`/,
    perLine("x"),
  ],
  [
    "another dtype",
    "x.jsonl",
    '{ "x": ["a", "b", "c", "d"] }',
    numbers,
    "request/invalid",
    /"a" is not a valid FP32$/,
    perLine("x"),
  ],
  [
    "another shape",
    "x.jsonl",
    '\n{ "x": [1] }',
    numbers,
    "request/invalid",
    /^x\.jsonl:2: .*FP32\[-1, 4\]: got FP32\[1\]$/,
    perLine("x"),
  ],
  [
    "a number outside the dtype's range",
    "n.jsonl",
    '{ "n": 1.5 }',
    big,
    "request/invalid",
    /1\.5 is not a valid INT64$/,
    perLine("n"),
  ],
  [
    "text for numbers",
    "x.txt",
    "a",
    numbers,
    "request/invalid",
    /lines of text only work for a model with one text input/,
    "write a .jsonl file with an object of inputs on each line",
  ],
  [
    "no UTF-8",
    "t.txt",
    Uint8Array.of(97, 0xff),
    text,
    "file/not-readable",
    /is not UTF-8$/,
    "save it as UTF-8",
  ],
])("refused: %s", (_, file, content, of, code, message, help) => {
  expect(() => read(file, content, of)).toThrow(message);
  expect(() => read(file, content, of)).toThrow(expect.objectContaining({ code, help }));
});

test.each([
  ["gone.jsonl", "file/not-found", /the dataset .* does not exist/],
  [".", "file/not-readable", /it is a folder/],
])("an unreadable path is an error: %s", (path, code, message) => {
  expect(() => readDataset(join(folder, path), text)).toThrow(expect.objectContaining({ code }));
  expect(() => readDataset(join(folder, path), text)).toThrow(message);
});
