import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recipe } from "../recipe.ts";
import { type BuiltExample, buildExample } from "./built-example.ts";
import { heldOut, inBatches, training } from "./held-out.ts";

const labels: readonly string[] = recipe.labels;

describe("the sentences", () => {
  test("100 sentences per label are held out", () => {
    expect(labels.map((label) => heldOut.filter((one) => one.label === label).length)).toEqual([100, 100]);
    expect(new Set(heldOut.map(({ text }) => text)).size).toBe(200);
  });

  test("at least 500 other sentences are for training, and none of them is similar to a held-out one", () => {
    const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[a-z']+/g));
    const trained = training.map(({ text }) => wordsOf(text));
    const near = heldOut.filter(({ text }) => {
      const words = wordsOf(text);
      return trained.some((others) => {
        const both = [...words].filter((word) => others.has(word)).length;
        return both / (words.size + others.size - both) >= 0.5;
      });
    });
    expect(near).toEqual([]);
    expect(training.length).toBeGreaterThanOrEqual(500);
  });
});

describe("the build contains the expected files", () => {
  let example: BuiltExample;
  const repository = (file: string): string =>
    readFileSync(join(example.build, "model_repository", file), "utf8");
  beforeAll(async () => {
    example = await buildExample();
  }, 60_000);
  afterAll(() => example?.close());

  test("at least 85 % of the held-out sentences get the correct label", async () => {
    const answers = await inBatches(heldOut, example.answer);
    const [negative = 0, positive = 0] = labels.map(
      (label) => heldOut.filter((one, row) => one.label === label && answers[row]?.best === label).length,
    );
    expect((negative + positive) / heldOut.length).toBeGreaterThanOrEqual(0.85);
    expect(Math.min(negative, positive)).toBeGreaterThanOrEqual(75);
  });

  test("a text's score does not depend on the other texts in the batch", async () => {
    const texts = heldOut.slice(0, 24).map(({ text }) => text);
    const together = await example.answer([...texts, "and so on ".repeat(35)]);
    for (const [row, text] of texts.entries()) {
      const [alone] = await example.answer([text]);
      expect(alone?.label).toBe(together[row]?.label);
      expect(alone?.score).toBeCloseTo(together[row]?.score ?? 0, 5);
    }
  });

  test("the answer consists of a text, a number, and both as JSON", async () => {
    const [good] = await example.answer(["I love this wonderful place!"]);
    expect(good?.label).toBe("positive");
    expect(JSON.parse(good?.verdict ?? "")).toEqual({ label: "positive", score: good?.score });
  });

  test("below the threshold, the answer is the label for unsure results", async () => {
    const { label: unsure, below } = recipe.unsure;
    const answers = await inBatches(heldOut, example.answer);
    for (const { label, score, best } of answers) expect(label).toBe(score < below ? unsure : best);
    const shares = answers.filter(({ label }) => label === unsure).length / answers.length;
    expect(shares).toBeGreaterThan(0.02);
    expect(shares).toBeLessThan(0.2);
  });

  test("meaningless parts of a text are removed first", async () => {
    const plain = "What a bad film!! Not worth 1000 dollars";
    const posted =
      "  <p>What a\n baaaad film!!!!</p> @cinema https://example.com/x?y=1 Not worth 1000 dollars ";
    const [a, b] = await example.answer([plain, posted.replace("baaaad", "bad")]);
    expect(b).toEqual(a);
    await expect(example.answer(["<br>"])).rejects.toThrow(/no text is left after cleaning/);
  });

  test("a text that is too long only makes its own request fail", async () => {
    await expect(example.answer(["a word ".repeat(200)])).rejects.toThrow(
      /row 0 has 404 tokens, but the maximum is 128/,
    );
  });

  test("the gpu profile serves the plan, the cpu profile serves the ONNX file", () => {
    expect(repository("classify/configs/gpu.pbtxt")).toMatch(
      /backend: "tensorrt"\ndefault_model_filename: "model\.plan"/,
    );
    expect(repository("classify/configs/cpu.pbtxt")).toMatch(
      /backend: "onnxruntime"\ndefault_model_filename: "stand-in\.onnx"/,
    );
  });

  test("the script builds the plan for the sizes in the recipe", () => {
    const script = readFileSync(join(example.build, "prepare/prepare.sh"), "utf8");
    for (const argument of [
      "--onnx=model.onnx",
      "--minShapes=input_ids:1x8,attention_mask:1x8",
      "--optShapes=input_ids:32x32,attention_mask:32x32",
      "--maxShapes=input_ids:32x128,attention_mask:32x128",
      "--fp16",
    ])
      expect(script).toContain(`\n  ${argument} \\`);
  });

  test("each export is at most 5 MB", () => {
    for (const file of ["model.onnx", "model.pt"])
      expect(statSync(new URL(`../assets/${file}`, import.meta.url)).size).toBeLessThanOrEqual(5e6);
  });
});
