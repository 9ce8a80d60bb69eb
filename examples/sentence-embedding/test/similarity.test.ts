import { afterAll, beforeAll, expect, test } from "vitest";
import { type BuiltExample, buildExample } from "./built-example.ts";
import { pairs } from "./pairs.ts";
import { largestDifference, lengthOf, misjudged, tripleTexts, type Vector } from "./vectors.ts";

let example: BuiltExample;
let vectors: readonly Vector[];

beforeAll(async () => {
  example = await buildExample("static");
  vectors = await example.embed(tripleTexts);
});
afterAll(() => example?.close());

test("in all 30 triples, the similar sentence is closer than the unrelated one", () => {
  expect(pairs).toHaveLength(30);
  expect(misjudged(vectors)).toEqual([]);
});

test("every vector has 128 numbers and length 1", () => {
  expect(vectors).toHaveLength(90);
  for (const vector of vectors) {
    expect(vector).toHaveLength(128);
    expect(lengthOf(vector)).toBeCloseTo(1, 6);
  }
});

test("a text's vector is the same alone and in a batch", async () => {
  const alone = await example.embed(tripleTexts, 1);
  expect(largestDifference(alone, vectors)).toBeLessThan(1e-6);
});

test("a text without a known word has a zero vector", async () => {
  const [empty] = await example.embed(["", "The soup is hot."]);
  expect(empty).toEqual(Array.from({ length: 128 }, () => 0));
});
