import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { explainMessage } from "@tritype/check";
import type { CompiledProject } from "@tritype/project";
import { fileBytes } from "@tritype/compiler";
import { decodeUtf8, tensorOf } from "@tritype/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { contextualProject } from "../../examples/biolinkbert-embedding/test/built-example.ts";
import { faults } from "../check/faults/faults.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { compileFixture, makeProject } from "../fixtures/project.ts";

/**
 * The message from `pipeline check` if the files show the fault; otherwise the reason why our version cannot have it,
 * and the test that proves this.
 */
type Answer =
  | { readonly folder: string; readonly code: string }
  | { readonly why: string; readonly test: string };

const retrieval = "examples/sentence-embedding/test/retrieval.test.ts";
const here = "test/twins/faults.test.ts";
const served = "test/triton/generate.test.ts";

/** Every fault in the five posts. */
const answers: Readonly<Record<string, readonly Answer[]>> = {
  "1: execute uses an attribute that initialize does not set": [
    { folder: "01-unset-attribute", code: "python/unset-attribute" },
  ],
  "2: the step answers with outputs that its configuration lacks": [
    { folder: "02-undeclared-output", code: "python/undeclared-output" },
    { folder: "02-undeclared-output", code: "python/missing-output" },
  ],
  "3: no max_batch_size, and dims without a batch": [{ folder: "03-no-batch", code: "python/wrong-rank" }],
  "4: warmup files of a whole batch, of which one row is read": [
    { folder: "04-warmup-of-a-batch", code: "warmup/long-file" },
  ],
  "5: LayerNorm in FP16": [
    {
      why: "the profile keeps LayerNorm in FP32",
      test: `${retrieval}: the gpu profile runs the encoder on TensorRT`,
    },
  ],
  "6: texts without the words that e5 learned, and no pooling": [
    {
      why: "the tokenizer's models put the word in front",
      test: `${retrieval}: each tokenizer puts its prefix in front of every text`,
    },
  ],
  "7: int() of a parameter, which is an object": [
    { folder: "07-parameter-object", code: "python/parameter-at-load" },
    { why: "a length is a number in the declaration", test: `${here}: a length that is text` },
  ],
  "8: every text is padded to 8128 tokens": [
    { folder: "08-long-padding", code: "python/long-padding" },
    {
      why: "the build knows what the tokenizer's model takes",
      test: `${here}: the build reports 8128 tokens for a model of 512`,
    },
  ],
  "9: a recipe is read at load, wherever it is": [
    { folder: "09-missing-recipe", code: "python/missing-parameter" },
    { folder: "09-recipe-elsewhere", code: "python/working-directory" },
    { folder: "09-recipe-left-behind", code: "python/missing-asset" },
    { why: "a step names its files, which must exist", test: `${here}: a missing recipe` },
  ],
  "10: an output that the exporter named 3391": [
    { folder: "10-numbered-output", code: "onnx-model/numeric-output" },
  ],
  "11: dynamic axes of a tensor that is not an output": [
    { folder: "11-fixed-output", code: "onnx-model/wrong-shape" },
  ],
  "12: a mean that counts padding": [
    { why: "meanPool takes the mask", test: `${here}: meanPool without a mask` },
    { why: "pipeline verify finds any other mean", test: `${here}: a mean without the mask` },
  ],
  "13: the tokenizer answers with token_type_ids, which the encoder lacks": [
    { folder: "13-extra-token-types", code: "python/undeclared-output" },
    { folder: "13-tokenizer-outputs", code: "python/tokenizer-outputs" },
    { why: "a build refuses connections that do not fit", test: `${here}: token_type_ids` },
  ],
  "14: intpu_ids for input_ids": [
    { why: "input names are typed, and the build checks them too", test: `${here}: intpu_ids` },
    { why: "`forward` is read from the file", test: `${here}: a module whose forward` },
  ],
  "15: one row at a time, tokenizer and labels in every client": [
    { folder: "15-batches-of-one", code: "batch/inert" },
    { folder: "15-one-row", code: "batch/one-row" },
    { folder: "15-uncounted-rows", code: "batch/uncounted-rows" },
    { why: "the ensemble takes text and answers with a label", test: `${here}: a client of the classifier` },
    {
      why: "an encoder-decoder can also be a step of an ensemble",
      test: `${here}: a client of the translator`,
    },
  ],
  "16: token ids declared FP32": [
    { folder: "16-generated-as-float", code: "python/wrong-dtype" },
    { why: "the configuration is written from the step's types", test: `${here}: generated ids` },
  ],
  "17: one response for all requests": [
    { folder: "17-one-response", code: "python/one-response" },
    { why: "the build writes the loop over requests", test: `${served}: requests of any length` },
    { why: "requests fail one by one", test: "test/generate/edges.test.ts: a request with an invalid row" },
  ],
  "18: a client says TYPE_INT64 and a shape with -1": [
    { why: "pipeline explain explains the client library's message", test: `${here}: TYPE_INT64` },
    { why: "our client writes dtype and shape from the tensor", test: `${here}: a tensor of our client` },
  ],
  "19: the folder before quantization, and a suffix that nothing defines": [
    { folder: "19-undefined-suffix", code: "python/undefined-name" },
    { folder: "19-unquantized-folder", code: "python/missing-export" },
    { why: "a step's files must exist when it is built", test: `${here}: a missing quantized decoder` },
  ],
  "20: an image of 15 GB, with optimum and all it needs": [
    { why: "the build lists what its models import", test: `${here}: the image` },
  ],
};

describe.each(Object.entries(answers))("fault %s", (_, known) => {
  const [codes, reasons] = [
    known.flatMap((answer) => ("code" in answer ? [answer] : [])),
    known.flatMap((answer) => ("why" in answer ? [answer] : [])),
  ];
  if (codes.length > 0)
    test.each(codes)("pipeline check says $code", ({ folder, code }) => {
      expect(faults.find((fault) => fault.folder === folder)?.codes).toContain(code);
    });
  if (reasons.length > 0)
    test.each(reasons)("$why", ({ test: held }) => {
      const [file = "", name = ""] = held.split(": ");
      const source = readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
      expect(source).toContain(`test("${name}`);
    });
});

const root = new URL("../../examples/biolinkbert-embedding/", import.meta.url);
const source = readFileSync(new URL("pipeline.ts", root), "utf8");

/** The codes for BioLinkBERT's pipeline after an edit, with an encoder that may lack `token_type_ids`. */
const codesOf = async (edit: (text: string) => string, standInEdit = (text: string) => text) => {
  const project = contextualProject();
  try {
    project.write("pipeline.ts", edit(source));
    project.write(
      "models/stand-in.ts",
      standInEdit(readFileSync(project.path("models/stand-in.ts"), "utf8")),
    );
    return (await compileFixture(project)).compilation.diagnostics.map(({ code }) => code);
  } finally {
    project.remove();
  }
};

test("meanPool without a mask does not compile", async () => {
  const project = makeProject({
    "pipeline.ts": `import { bytes, defineEnsemble, fp32, meanPool, onnx } from "tritype";
export const pool = defineEnsemble({
  name: "pool",
  maxBatchSize: 4,
  inputs: { hidden: fp32("batch", "seq", 8) },
  run: ({ hidden }) => ({ embedding: meanPool(hidden) }),
});`,
  });
  try {
    await expect(compileFixture(project)).rejects.toThrow(/mask/);
  } finally {
    project.remove();
  }
});

test("a mean without the mask is found by pipeline verify: a text's vector depends on the rest of the batch", async () => {
  const project = contextualProject();
  try {
    project.write(
      "pipeline.ts",
      source.replace("meanPool(last_hidden_state, attention_mask)", 'last_hidden_state.mean("seq")'),
    );
    const { code, out } = await pipeline(project, ["verify", "--no-triton", "--no-python"]);
    expect(out).toMatch(/^embed\s+embedding\s+row by row.*DIFFERS/m);
    expect(code).toBe(1);
  } finally {
    project.remove();
  }
}, 60_000);

/** A project with one pipeline and its own files. */
const compileText = async (
  text: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<CompiledProject["compilation"]> => {
  const project = makeProject({ "pipeline.ts": text, ...files });
  try {
    return (await compileFixture(project)).compilation;
  } finally {
    project.remove();
  }
};

const codesOfProject = async (...project: Parameters<typeof compileText>): Promise<readonly string[]> =>
  (await compileText(...project)).diagnostics.map(({ code }) => code);

const tokenizing = (options: string): string => `import { bytes, defineEnsemble, tokenizer } from "tritype";
const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", ${options} });
export const preprocess = defineEnsemble({
  name: "preprocess",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => tokenize({ text }),
});`;

test("a length that is text does not build", async () => {
  expect(await codesOfProject(tokenizing('maxLength: "512" as never'))).toEqual(["tokenizer/invalid-option"]);
  expect(await codesOfProject(tokenizing("maxLength: 512"))).toEqual([]);
});

test("the build reports 8128 tokens for a model of 512", async () => {
  const config = { "assets/tokenizer/tokenizer_config.json": JSON.stringify({ model_max_length: 512 }) };
  const padded = tokenizing('maxLength: 8128, padding: "maxLength"');
  expect(await codesOfProject(padded, config)).toEqual(["tokenizer/max-length-over-model"]);
  expect(await codesOfProject(padded.replace("8128", "512"), config)).toEqual([]);
});

test("a missing recipe fails the build", async () => {
  const text = `import { bytes, defineEnsemble, int64, python } from "tritype";
const preprocessing = python({
  name: "preprocessing",
  file: "steps/preprocessing.py",
  files: { "recipe.json": "recipes/sentiment.json" },
  inputs: { query: bytes("batch", 1) },
  outputs: { length: int64("batch", 1) },
});
export const lengths = defineEnsemble({
  name: "lengths",
  maxBatchSize: 8,
  inputs: { query: bytes("batch", 1) },
  run: ({ query }) => preprocessing({ query }),
});`;
  const step = {
    "steps/preprocessing.py": `import json
import os

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        with open(os.path.join(args["model_repository"], args["model_version"], "recipe.json")) as file:
            self.prefix = json.load(file)["task_prefix"]

    def execute(self, requests):
        responses = []
        for request in requests:
            query = pb_utils.get_input_tensor_by_name(request, "query").as_numpy()
            sizes = [[len(self.prefix) + len(text)] for text in query.flatten()]
            length = pb_utils.Tensor("length", np.array(sizes, dtype=np.int64))
            responses.append(pb_utils.InferenceResponse([length]))
        return responses
`,
  };
  const recipe = { "recipes/sentiment.json": '{ "task_prefix": "classification: " }' };
  expect(await codesOfProject(text, step)).toEqual(["python/file-not-found"]);
  const faulty = makeProject({ ...step, "pipeline.ts": text });
  onTestFinished(faulty.remove);
  const { err: refused } = await pipeline(faulty, ["build"]);
  expect(refused).toMatch(/│ .*"recipe\.json": "recipes\/sentiment\.json".*\n.*│ +\^+ written here/);
  expect(refused).toContain("= help: paths in `files` are relative to the project's root");
  expect(await codesOfProject(text, { ...step, ...recipe })).toEqual([]);
  const project = makeProject({ ...step, ...recipe, "pipeline.ts": text.replace(/ +files: .*\n/, "") });
  try {
    const { code, err } = await pipeline(project, ["build"]);
    expect(err).toMatch(/^error\[python\/missing-asset\].*`1\/recipe.json`/m);
    expect(code).toBe(1);
  } finally {
    project.remove();
  }
});

const classify = new Uint8Array(
  readFileSync(fileURLToPath(new URL("../fixtures/torchscript/classify.pt", import.meta.url))),
);
const classifying = `import { bytes, defineEnsemble, fp32, int64, step, tokenizer, torchscript } from "tritype";
const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 512 });
const classifier = torchscript({
  name: "classifier",
  file: "models/classify.pt",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { logits: fp32("batch", 2) },
});
const name = step({
  name: "name",
  inputs: { logits: fp32("batch", 2) },
  outputs: { label: bytes("batch", 1) },
  run: ({ logits: [negative = 0, positive = 0] }) => ({ label: positive > negative ? "positive" : "negative" }),
});
export const sentiment = defineEnsemble({
  name: "sentiment",
  maxBatchSize: 32,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { logits } = classifier({ input_ids, attention_mask });
    return { label: name({ logits }).label };
  },
});`;

test("a client of the classifier sends text and gets a label", async () => {
  const { build } = await compileText(classifying, { "models/classify.pt": classify });
  const text = { dtype: "BYTES", dims: ["batch", 1] };
  expect(build?.manifest.ensembles).toMatchObject([{ inputs: { text }, outputs: { label: text } }]);
});

test("intpu_ids is refused at the call", async () => {
  const files = { "models/classify.pt": classify };
  expect(await codesOfProject(classifying, files)).toEqual([]);
  const misspelt = classifying.replace("classifier({ input_ids,", "classifier({ intpu_ids: input_ids,");
  expect(await codesOfProject(misspelt, files)).toEqual(["graph/unknown-input"]);
});

test("a module whose forward takes different arguments does not build", async () => {
  const files = { "models/classify.pt": classify };
  const fewer = classifying
    .replace(', attention_mask: int64("batch", "seq") }', " }")
    .replace("classifier({ input_ids, attention_mask })", "classifier({ input_ids })");
  expect(await codesOfProject(fewer, files)).toContain("torchscript/inputs");
});

test("token_type_ids that the encoder lacks, or needs and does not get, fail the build at the call", async () => {
  const without = (text: string): string => text.replace(/ +token_type_ids: int64\(.*\n/, "");
  expect(await codesOf((text) => text, without)).toContain("graph/unknown-input");
  const untold = (text: string): string => text.replaceAll(", token_type_ids }", " }");
  expect(await codesOf(untold)).toContain("graph/missing-input");
});

const exported = (): Readonly<Record<string, Uint8Array>> => {
  const folder = new URL("../../examples/m2m100-translation/models/fp32/", import.meta.url);
  return Object.fromEntries(
    [
      "config.json",
      "generation_config.json",
      "encoder_model.onnx",
      "decoder_model_merged.onnx",
      "tokenizer.json",
      "tokenizer_config.json",
      "special_tokens_map.json",
    ].map((file) => [`models/m2m100/${file}`, new Uint8Array(readFileSync(new URL(file, folder)))]),
  );
};

const translating = `import { bytes, defineEnsemble, detokenizer, generate, tokenizer } from "tritype";
const from = "models/m2m100";
const tokenize = tokenizer({ name: "tokenize", from, maxLength: 128, languages: { source: true, target: true } });
const translateIds = generate({ name: "translate_ids", from, maxNewTokens: 63, perRequest: ["forced_bos_token_id"] });
const detokenize = detokenizer({ name: "detokenize", from });
export const translate = defineEnsemble({
  name: "translate",
  maxBatchSize: 32,
  inputs: { text: bytes("batch", 1), source_language: bytes("batch", 1), target_language: bytes("batch", 1) },
  run(texts) {
    const { input_ids, attention_mask, forced_bos_token_id } = tokenize(texts);
    const { sequences } = translateIds({ input_ids, attention_mask, forced_bos_token_id });
    return { translation: detokenize({ ids: sequences }).text };
  },
});`;

const builtTranslator = async () => {
  const { build, diagnostics } = await compileText(translating, exported());
  expect(diagnostics).toEqual([]);
  if (build === undefined) throw new Error("no build");
  return build;
};

test("a client of the translator sends text and languages, and gets text back", async () => {
  const text = { dtype: "BYTES", dims: ["batch", 1] };
  expect((await builtTranslator()).manifest.ensembles).toMatchObject([
    {
      inputs: { text, source_language: text, target_language: text },
      outputs: { translation: text },
    },
  ]);
});

const textAt = ({ tree }: Awaited<ReturnType<typeof builtTranslator>>, path: string): string => {
  const file = tree.get(path);
  if (file === undefined) throw new Error(`no ${path} among ${[...tree.keys()].join(", ")}`);
  return decodeUtf8(fileBytes(file));
};

test("generated ids are declared INT64", async () => {
  const config = textAt(await builtTranslator(), "model_repository/translate_ids/config.pbtxt");
  expect(config).toMatch(/name: "sequences"\s+data_type: TYPE_INT64/);
  expect(config).not.toContain("FP32");
});

test("a missing quantized decoder fails the build", async () => {
  const quantized = translating.replace(
    "maxNewTokens: 63,",
    "decoder: `${from}/decoder_model_merged_quantized.onnx`, maxNewTokens: 63,",
  );
  expect(await codesOfProject(quantized, exported())).toEqual(["onnx/file-not-found"]);
});

test("the image gets three packages in addition to Triton", async () => {
  const build = await builtTranslator();
  const lines = textAt(build, "requirements.txt").split("\n");
  const packages = lines.flatMap((line) => /^[a-z][\w-]*(?===)/.exec(line) ?? []);
  expect(packages).toEqual(["numpy", "onnxruntime", "tokenizers"]);
});

test("TYPE_INT64 and -1 in a client are explained", () => {
  const dtype = explainMessage("got unexpected datatype INT64 from numpy array, expected TYPE_INT64");
  expect(dtype?.means).toContain("clients use INT64");
  const shape = explainMessage("got unexpected numpy array shape [2, 21], expected [-1, 1]");
  expect(shape?.help).toContain("-1 is for configurations only");
});

test("a tensor of our client knows its dtype, and its shape matches its values", () => {
  // @ts-expect-error the name in configurations, not that of the protocol
  expect(() => tensorOf("TYPE_INT64", [1], [1n])).toThrow();
  expect(() => tensorOf("INT64", [-1, 1], [1n])).toThrow("shape [-1, 1] has -1 elements, got 1");
});
