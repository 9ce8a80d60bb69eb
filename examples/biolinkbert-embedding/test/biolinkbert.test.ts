import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TensorData, valuesOf } from "@tritype/core";
import { parseModelConfig } from "@tritype/triton";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { holds, measureInvariance, recordedInvariance } from "../../../test/fixtures/invariance.ts";
import type { ProjectFixture } from "../../../test/fixtures/project.ts";
import { variedTexts } from "../../sentence-embedding/test/varied-texts.ts";
import { largestDifference, type Vector } from "../../sentence-embedding/test/vectors.ts";
import { type BuiltExample, buildExample, contextualProject, textInput } from "./built-example.ts";

const recorded = recordedInvariance(new URL("../README.md", import.meta.url));
const texts = variedTexts.filter((_, index) => index % 2 === 0);
const longest = "an abstract that is longer than what is kept ".repeat(100);

describe("the build contains the expected files", () => {
  let example: BuiltExample;
  const read = (file: string): string => readFileSync(join(example.build, file), "utf8");
  const repository = (file: string): string => read(`model_repository/${file}`);
  const outputsOf = (model: string): readonly string[] => {
    const parsed = parseModelConfig(repository(`${model}/config.pbtxt`));
    if ("problem" in parsed) throw new Error(parsed.problem.message);
    return (parsed.config.output ?? []).map(({ name = "" }) => name);
  };
  beforeAll(async () => {
    example = await buildExample("mean");
  });
  afterAll(() => example?.close());

  test("the tokenizer's files are copied unchanged into its version folder", () => {
    const source = new URL("../../sentence-embedding/assets/tokenizer/tokenizer.json", import.meta.url);
    expect(repository("tokenize/1/tokenizer.json")).toBe(readFileSync(source, "utf8"));
  });

  test("outputs are named, and the tokenizer's output names are those that the encoder expects", () => {
    expect(outputsOf("embed")).toEqual(["embedding"]);
    expect(outputsOf("encoder")).toEqual(["embedding"]);
    expect(outputsOf("tokenize")).toEqual(["input_ids", "attention_mask", "token_type_ids"]);
  });

  test("the image for CPUs is based on Triton's slim one and adds two packages", () => {
    expect(read("Dockerfile")).toMatch(/^FROM slim AS runtime-cpu$/m);
    const packages = read("requirements.txt")
      .split("\n")
      .filter((line) => /^\w/.test(line));
    expect(packages.map((line) => line.split("==")[0])).toEqual(["numpy", "tokenizers"]);
  });

  test("a text's vector depends on the rest of its batch no more than stated in the README", async () => {
    const measured = await measureInvariance(example.embed, texts, longest);
    expect(measured).toSatisfy((figures: typeof measured) => holds(figures, recorded));
  });
});

describe("with an encoder whose tokens attend to each other", () => {
  let project: ProjectFixture;
  let withHiddenStates: ProjectFixture;
  beforeAll(() => {
    project = contextualProject();
    withHiddenStates = contextualProject("fuse: false,");
  });
  afterAll(() => {
    for (const one of [project, withHiddenStates]) one?.remove();
  });

  test.each([
    ["mean", (tokens: readonly Vector[]) => meanOf(tokens)],
    ["cls", (tokens: readonly Vector[]) => tokens[0] ?? []],
  ] as const)("pooling %s", async (pooling, pool) => {
    const example = await buildExample(pooling, project.root);
    const other = await buildExample(pooling, withHiddenStates.root);
    try {
      const expected = (await hiddenStates(other, texts)).map(pool);
      expect(largestDifference(await example.embed(texts), expected)).toBeLessThan(1e-5);
      const measured = await measureInvariance(example.embed, texts, longest);
      expect(measured).toSatisfy((figures: typeof measured) => holds(figures, recorded));
    } finally {
      for (const one of [example, other]) await one.close();
    }
  });
});

/** The vectors of each text's own tokens, without padding. */
const hiddenStates = async (
  { infer }: BuiltExample,
  of: readonly string[],
): Promise<readonly (readonly Vector[])[]> =>
  Promise.all(
    of.map(async (text) => {
      const tokens = await infer("tokenize", textInput([text]));
      const hidden = (await infer("encoder", tokens)).get("last_hidden_state");
      const size = hidden?.shape[2] ?? 0;
      const values = numbers(hidden);
      const length = numbers(tokens.get("attention_mask")).filter((mask) => mask === 1).length;
      return Array.from({ length }, (_, row) => values.slice(row * size, (row + 1) * size));
    }),
  );

const numbers = (tensor: TensorData | undefined): readonly number[] =>
  tensor === undefined ? [] : valuesOf(tensor).map(Number);

const meanOf = (tokens: readonly Vector[]): Vector =>
  (tokens[0] ?? []).map((_, i) => tokens.reduce((sum, token) => sum + (token[i] ?? 0), 0) / tokens.length);
