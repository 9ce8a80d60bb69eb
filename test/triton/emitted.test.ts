import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProject, findProject, writeBuild } from "@tritype/cli";
import type { InferCall } from "@tritype/client";
import { tensorOf } from "@tritype/core";
import { completeModelConfig, modelConfigToJson, parseModelConfig } from "@tritype/triton";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installTime, type Judged, judgeRepository, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { expectSameAnswers } from "./same-answers.ts";

type Call = Omit<InferCall, "inputs"> & {
  readonly inputs: Readonly<Record<string, ReturnType<typeof tensorOf>>>;
};
interface Build {
  readonly name: string;
  /** Puts `model_repository` and `manifest.json` into a folder. */
  readonly write: (folder: string) => Promise<void>;
  readonly calls: Readonly<Record<string, Call>>;
}

const golden = (name: string): string =>
  fileURLToPath(new URL(`../golden/${name}/expected`, import.meta.url));
const example = fileURLToPath(new URL("../../examples/sentence-embedding", import.meta.url));

const texts = (...rows: readonly string[]) => tensorOf("BYTES", [rows.length, 1], rows);
const long = Array.from({ length: 700 }, (_, i) => `word${i % 7} naïve 日本`).join(" ");
const many = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => "the cat sat ".repeat(i % 5) + i);

const embedCalls = (largest: number): Build["calls"] => ({
  "one row": { model: "embed", inputs: { text: texts("hello world") } },
  "empty text": { model: "embed", inputs: { text: texts("") } },
  "long text": { model: "embed", inputs: { text: texts(long) } },
  "rows of different lengths, with an id": {
    model: "embed",
    id: "ü-1",
    inputs: { text: texts("a", "", "the quick brown fox", long, "👩‍🚀 café") },
  },
  "the largest batch": { model: "embed", inputs: { text: texts(...many(largest)) }, outputs: ["embedding"] },
  "a batch too large": { model: "embed", inputs: { text: texts(...many(largest + 1)) } },
  "no batch dimension": { model: "embed", inputs: { text: tensorOf("BYTES", [1], ["x"]) } },
  "another dtype, with an id": { model: "embed", id: "7", inputs: { text: tensorOf("INT64", [1, 1], [1n]) } },
  "an unknown output": { model: "embed", inputs: { text: texts("x") }, outputs: ["embeding"] },
  "the tokenizer alone": { model: "tokenize", inputs: { text: texts("hello", "", "hello again, world") } },
  "the tokenizer's mask only": {
    model: "tokenize",
    inputs: { text: texts("hello", long) },
    outputs: ["attention_mask"],
  },
  "the encoder with one input missing": {
    model: "encoder",
    inputs: { input_ids: tensorOf("INT64", [1, 2], [1n, 2n]) },
  },
});

const plainInputs = (columns: number, picks: readonly number[]): Call["inputs"] => ({
  x: tensorOf(
    "FP32",
    [2, columns],
    Array.from({ length: 2 * columns }, (_, i) => Math.sin(i * 1.7) * (i + 1)),
  ),
  index: tensorOf("INT64", [picks.length], picks.map(BigInt)),
});

const operatorInputs = (rows: number, seq: number, n: number): Call["inputs"] => ({
  hidden: tensorOf(
    "FP32",
    [rows, seq, 4],
    Array.from({ length: rows * seq * 4 }, (_, i) => Math.cos(i * 1.3) * 2),
  ),
  kind: tensorOf("BYTES", [rows, 1], ["query", "passage", "", "ü"].slice(0, rows)),
  code: tensorOf(
    "INT32",
    [rows, n],
    Array.from({ length: rows * n }, (_, i) => (i % 3 === 0 ? 7 : -7 + i)),
  ),
});

const builds: readonly Build[] = [
  {
    name: "the golden project embedding, its encoder's instance_group rewritten to KIND_CPU",
    write: async (folder) => {
      await cp(golden("embedding"), folder, { recursive: true });
      const file = join(folder, "model_repository/encoder/config.pbtxt");
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replace("kind: KIND_GPU", "kind: KIND_CPU").replace(/\n +gpus: .*/, ""));
    },
    calls: embedCalls(64),
  },
  {
    name: "the golden project two-ensembles",
    write: (folder) => cp(golden("two-ensembles"), folder, { recursive: true }),
    calls: {
      ...embedCalls(16),
      "the output that is consumed too": {
        model: "embed",
        inputs: { text: texts("a b", "c") },
        outputs: ["last_hidden_state"],
      },
      "both outputs, asked for in another order": {
        model: "embed",
        inputs: { text: texts("a b") },
        outputs: ["last_hidden_state", "embedding"],
      },
      "an ensemble of ensembles": {
        model: "similarity",
        inputs: { left: texts("the cat", "the cat", ""), right: texts("the cat", "a dog barks", "x") },
      },
      "strings only": {
        model: "similarity",
        inputs: { left: texts("the cat"), right: texts("the dog") },
        outputs: ["verdict"],
      },
      "different batches": {
        model: "similarity",
        inputs: { left: texts("a", "b"), right: texts("a") },
      },
    },
  },
  {
    name: "the golden project plain-tensors",
    write: (folder) => cp(golden("plain-tensors"), folder, { recursive: true }),
    calls: {
      "one column": { model: "plain", inputs: plainInputs(1, [0]) },
      "several columns": { model: "plain", inputs: plainInputs(9, [8, 0, 0, 3]) },
      "no index": { model: "plain", inputs: plainInputs(3, []) },
      "one output": { model: "plain", inputs: plainInputs(3, [1]), outputs: ["best"] },
      "the input passed through": { model: "plain", inputs: plainInputs(3, [1]), outputs: ["same"] },
      "some outputs": { model: "plain", inputs: plainInputs(3, [2]), outputs: ["probabilities", "again"] },
      "another first dimension": {
        model: "plain",
        inputs: { ...plainInputs(3, [0]), x: tensorOf("FP32", [3, 1], [1, 2, 3]) },
      },
    },
  },
  {
    name: "the golden project python-step",
    write: (folder) => cp(golden("python-step"), folder, { recursive: true }),
    calls: {
      "one text": { model: "moderate", inputs: { text: texts("a forbidden word") } },
      "several, one without words": {
        model: "moderate",
        inputs: { text: texts("blocked", "", "naïve 日本 forbidden blocked", long) },
      },
      "one output": { model: "moderate", inputs: { text: texts("blocked") }, outputs: ["flagged"] },
      "the author's model alone": { model: "flag", inputs: { text: texts("x blocked", "y") } },
      "one of its outputs": { model: "flag", inputs: { text: texts("x blocked") }, outputs: ["share"] },
      "text that is not UTF-8": {
        model: "reverse",
        inputs: { text: tensorOf("BYTES", [1, 1], [new Uint8Array([0xff, 0xfe])]) },
      },
    },
  },
  {
    name: "the golden project operators",
    write: (folder) => cp(golden("operators"), folder, { recursive: true }),
    calls: {
      "one row": { model: "operators", inputs: operatorInputs(1, 2, 3) },
      "several rows": { model: "operators", inputs: operatorInputs(4, 5, 1) },
      "one output": { model: "operators", inputs: operatorInputs(2, 1, 2), outputs: ["name"] },
    },
  },
  {
    name: "the example sentence-embedding",
    write: async (folder) => {
      const { compilation } = await compileProject(findProject(example));
      expect(compilation.diagnostics).toEqual([]);
      writeBuild(folder, compilation.build?.tree ?? new Map());
    },
    calls: embedCalls(64),
  },
];

describe.each(builds)("$name", ({ write, calls }) => {
  let folder: TemporaryFolder;
  let judged: Judged;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await write(folder.path);
    judged = await judgeRepository(join(folder.path, "model_repository"));
  }, installTime);
  afterAll(async () => {
    await judged?.stop();
    await folder.remove();
  });

  test("is loaded whole by a strict Triton and by the local runtime", async () => {
    expect(judged.triton.problems()).toEqual([]);
    const names = judged.local.models().map(({ name }) => name);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      const answer = await fetch(`${judged.triton.httpUrl}/v2/models/${name}/ready`);
      expect([name, answer.status]).toEqual([name, 200]);
    }
    for (const runtime of [judged.local, judged.python])
      expect(runtime.models()).toEqual(names.map((name) => ({ name, version: "1", state: "READY" })));
  });

  test("has in Triton the configuration that was emitted, completed", async () => {
    for (const { name } of judged.local.models()) {
      const answer = await tritonConfig(judged, name);
      const file = join(folder.path, "model_repository", name, "config.pbtxt");
      const parsed = parseModelConfig(await readFile(file, "utf8"));
      if ("problem" in parsed) throw new Error(parsed.problem.message);
      expect(answer).toEqual(
        modelConfigToJson(completeModelConfig(parsed.config, { folder: name }), "24.10"),
      );
      expect(answer).toEqual(judged.local.modelConfig(name));
    }
  });

  test.each(Object.entries(calls))("answers alike: %s", async (_, call) => {
    await expectSameAnswers(judged, { ...call, inputs: new Map(Object.entries(call.inputs)) });
  });

  test("answers alike: all of them at once", async () => {
    await Promise.all(
      Object.values(calls).map((call) =>
        expectSameAnswers(judged, { ...call, inputs: new Map(Object.entries(call.inputs)) }),
      ),
    );
  });
});

/** Triton writes `runtime: "model.py"` for a backend that is written in Python, as the judge's stand-in for ONNX Runtime is. */
const tritonConfig = async ({ triton }: Judged, name: string): Promise<object> => {
  const answer = (await (await fetch(`${triton.httpUrl}/v2/models/${name}/config`)).json()) as object;
  if (!("backend" in answer) || answer.backend !== "onnxruntime") return answer;
  expect(answer).toHaveProperty("runtime", "model.py");
  return { ...answer, runtime: "" };
};
