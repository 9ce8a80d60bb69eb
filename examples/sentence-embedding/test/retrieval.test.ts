import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "tritype/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { holds, measureInvariance, recordedInvariance } from "../../../test/fixtures/invariance.ts";
import { encoderModel } from "../../../test/fixtures/models.ts";
import { compileFixture, makeProject } from "../../../test/fixtures/project.ts";
import { fencesOf } from "../../../test/docs/markdown-fences.ts";
import type { embedPassage, embedQuery } from "../retrieval.ts";
import { type BuiltExample, buildExample } from "./built-example.ts";
import { pairs } from "./pairs.ts";
import { withTriton } from "./real-triton.ts";
import { variedTexts } from "./varied-texts.ts";
import { largestDifference, tripleTexts, type Vector } from "./vectors.ts";

const recorded = recordedInvariance(new URL("../README.md", import.meta.url));
const longest = "a text that is longer than what is kept ".repeat(100);
const sides = [
  { ensemble: "embed_query", prefix: "query: " },
  { ensemble: "embed_passage", prefix: "passage: " },
] as const;

let example: BuiltExample;
beforeAll(async () => {
  example = await buildExample("static");
});
afterAll(() => example?.close());

describe.each(sides)("$ensemble", ({ ensemble, prefix }) => {
  test("each tokenizer puts its prefix in front of every text", async () => {
    const plain = await example.embed(tripleTexts.map((text) => prefix + text));
    const own = await example.embed(tripleTexts, 30, ensemble);
    expect(largestDifference(own, plain)).toBeLessThan(1e-6);
    expect(largestDifference(own, await example.embed(tripleTexts))).toBeGreaterThan(0.01);
  });

  test("a text's vector depends on the rest of its batch no more than stated in the README", async () => {
    const embed = (texts: readonly string[]) => example.embed(texts, texts.length, ensemble);
    const measured = await measureInvariance(embed, variedTexts, longest);
    expect(measured).toSatisfy((figures: typeof measured) => holds(figures, recorded));
  });
});

test("both ensembles share the encoder and the pooling, which are emitted once", () => {
  const members = (ensemble: string): readonly string[] =>
    [...configOf(ensemble).matchAll(/model_name: "(\w+)"/g)].map(([, name = ""]) => name);
  expect(members("embed_query")).toEqual(["tokenize_query", "vector"]);
  expect(members("embed_passage")).toEqual(["tokenize_passage", "vector"]);
  expect(members("vector")).toEqual(["encoder", "vector_embedding"]);
  const models = readdirSync(example.repository);
  expect(models.filter((name) => configOf(name).includes('backend: "onnxruntime"'))).toEqual([
    "embed_embedding",
    "encoder",
    "vector_embedding",
  ]);
});

const configOf = (model: string): string =>
  readFileSync(join(example.repository, model, "config.pbtxt"), "utf8");

test("the gpu profile runs the encoder on TensorRT, for the samples' sizes; every model has both profiles", () => {
  const gpu = readFileSync(join(example.repository, "encoder", "configs", "gpu.pbtxt"), "utf8");
  const said = [...gpu.matchAll(/parameters \{\s+key: "(\w+)"\s+value: "([^"]+)"\s+\}/g)];
  expect(Object.fromEntries(said.map(([, key, value]) => [key, value]))).toEqual({
    precision_mode: "FP16",
    trt_layer_norm_fp32_fallback: "true",
    max_workspace_size_bytes: "4294967296",
    trt_engine_cache_enable: "true",
    trt_engine_cache_path: "/var/cache/tensorrt",
    trt_profile_min_shapes: "input_ids:1x16,attention_mask:1x16,token_type_ids:1x16",
    trt_profile_opt_shapes: "input_ids:8x16,attention_mask:8x16,token_type_ids:8x16",
    trt_profile_max_shapes: "input_ids:64x256,attention_mask:64x256,token_type_ids:64x256",
  });
  for (const model of readdirSync(example.repository))
    expect(readdirSync(join(example.repository, model, "configs"))).toEqual(["cpu.pbtxt", "gpu.pbtxt"]);
});

test("e5 itself is built from the same files after the edits that the README describes", async () => {
  const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  const pipeline = read("pipeline.ts")
    .replace(/const model = [^;]+;/, "const model = e5;")
    .replace(/import \{ encoder as minilm \}.*\n/, 'import { encoder as e5 } from "./models/e5.ts";\n')
    .replace(/import \{ encoder as distilled \}.*\n/, "")
    .replace(/const tokenize = [^;]+;/, "")
    .replace(/\/\*\* Text → one vector[\s\S]+/, "");
  const retrieval = read("retrieval.ts")
    .replace("assets/tokenizer", "assets/e5")
    .replace("maxLength: 256", "maxLength: 512")
    .replace("  tokenTypeIds: true,\n", "");
  const [model] = fencesOf(read("README.md")).filter(({ info }) => info === "models/e5.ts");
  const project = makeProject({
    "pipeline.ts": pipeline,
    "retrieval.ts": retrieval,
    "tensorrt.ts": read("tensorrt.ts"),
    "pipeline.config.ts": read("pipeline.config.ts").replace("assets/static", "assets/e5"),
    "models/e5.ts": model?.text ?? "",
    "assets/e5/model.onnx": encoderModel({ size: 1024 }),
    "assets/e5/tokenizer.json": readFileSync(new URL("unigram/tokenizer.json", tokenizers)),
  });
  try {
    const { compilation } = await compileFixture(project);
    expect(compilation.diagnostics).toEqual([]);
    const models = [...(compilation.build?.tree.keys() ?? [])].map((path) => path.split("/")[1]);
    expect(models).toContain("embed_query");
    expect(models).not.toContain("embed");
  } finally {
    project.remove();
  }
});

const tokenizers = new URL("../../../test/tokenizer/assets/", import.meta.url);
const passages = pairs.flatMap(({ similar, unrelated }) => [similar, unrelated]);

test("27 of 30 queries rank their own passage first out of 60 with an encoder that was not trained with the prefixes", async () => {
  const queries = await example.embed(
    pairs.map(({ anchor }) => anchor),
    30,
    "embed_query",
  );
  const found = await example.embed(passages, 30, "embed_passage");
  const first = queries.filter((query, index) => nearest(query, found) === index * 2);
  expect(first.length).toBeGreaterThanOrEqual(27);
});

const nearest = (query: Vector, others: readonly Vector[]): number => {
  const scores = others.map((other) => other.reduce((sum, x, i) => sum + x * (query[i] ?? 0), 0));
  return scores.indexOf(Math.max(...scores));
};

test("a real Triton gives the same answers as the local runtime, and its answers are just as independent of the batch", async () => {
  await withTriton(example.repository, async ({ httpUrl }) => {
    const query = createClient<typeof embedQuery>({ url: httpUrl, ensemble: "embed_query" });
    const passage = createClient<typeof embedPassage>({ url: httpUrl, ensemble: "embed_passage" });
    const queries = async (text: readonly string[]) => (await query.infer({ text })).embedding.toArray();
    const { embedding } = await passage.infer({ text: passages });
    expect(
      largestDifference(embedding.toArray(), await example.embed(passages, 60, "embed_passage")),
    ).toBeLessThan(1e-6);
    expect(
      largestDifference(await queries(variedTexts), await example.embed(variedTexts, 40, "embed_query")),
    ).toBeLessThan(1e-6);
    const measured = await measureInvariance(queries, variedTexts, longest);
    expect(measured).toSatisfy((figures: typeof measured) => holds(figures, recorded));
  });
}, 120_000);
