import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltExample, buildExample } from "./built-example.ts";
import { askTriton } from "./real-triton.ts";
import { largestDifference, misjudged, tripleTexts, type Vector } from "./vectors.ts";

let example: BuiltExample;
let local: readonly Vector[];
let triton: Awaited<ReturnType<typeof askTriton>>;

beforeAll(async () => {
  example = await buildExample("static");
  local = await example.embed(tripleTexts);
  triton = await askTriton(example.repository, tripleTexts);
}, 300_000);
afterAll(() => example?.close());

test.each(["http", "grpc"] as const)(
  "Triton's answers over %s are the same as the local runtime's",
  (protocol) => {
    expect(largestDifference(triton[protocol], local)).toBeLessThan(1e-6);
  },
);

test.each(["http", "grpc"] as const)(
  "in all 30 triples, the similar sentence is closer on Triton over %s",
  (protocol) => {
    expect(misjudged(triton[protocol])).toEqual([]);
  },
);
