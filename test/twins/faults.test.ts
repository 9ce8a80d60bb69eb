import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { contextualProject } from "../../examples/biolinkbert-embedding/test/built-example.ts";
import { faults } from "../check/faults/faults.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { compileFixture, makeProject } from "../fixtures/project.ts";

/** Where the files show it, what `pipeline check` says of it; else why it cannot be there in ours, and which test holds that. */
type Answer =
  | { readonly folder: string; readonly code: string }
  | { readonly why: string; readonly test: string };

const retrieval = "examples/sentence-embedding/test/retrieval.test.ts";
const here = "test/twins/faults.test.ts";

/** Every fault of both posts. */
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
    { why: "the profile keeps LayerNorm in FP32", test: `${retrieval}: the profile gpu hands the encoder` },
  ],
  "6: texts without the words that e5 learned, and no pooling": [
    { why: "the tokenizer's models put the word in front", test: `${retrieval}: puts its word in front` },
  ],
  "10: an output that the exporter named 3391": [
    { folder: "10-numbered-output", code: "onnx-model/numeric-output" },
  ],
  "11: dynamic axes of a tensor that is no output": [
    { folder: "11-fixed-output", code: "onnx-model/wrong-shape" },
  ],
  "12: a mean that counts padding": [
    { why: "meanPool takes the mask", test: `${here}: meanPool without a mask` },
    { why: "pipeline verify finds any other mean", test: `${here}: a mean without the mask` },
  ],
  "13: the tokenizer answers with token_type_ids, which the encoder lacks": [
    { folder: "13-extra-token-types", code: "python/undeclared-output" },
    { folder: "13-tokenizer-outputs", code: "python/tokenizer-outputs" },
    { why: "wires that do not fit are not built", test: `${here}: token_type_ids` },
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

/** The codes of BioLinkBERT's pipeline after an edit, with an encoder that takes `token_type_ids` or not. */
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

test("a mean without the mask is what pipeline verify finds: a text's vector depends on its company", async () => {
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

test("token_type_ids that the encoder lacks, or wants and does not get, stop the build at the call", async () => {
  const without = (text: string): string => text.replace(/ +token_type_ids: int64\(.*\n/, "");
  expect(await codesOf((text) => text, without)).toContain("graph/unknown-input");
  const untold = (text: string): string => text.replaceAll(", token_type_ids }", " }");
  expect(await codesOf(untold)).toContain("graph/missing-input");
});
