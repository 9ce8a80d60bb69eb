import { join } from "node:path";
import { compile } from "@tritype/compiler";
import { invariant, type NamedTensors, valuesOf } from "@tritype/core";
import { recordOf } from "@tritype/dsl";
import { grpcClient } from "@tritype/client";
import { writeBuild } from "@tritype/project";
import { defaultRelease } from "@tritype/triton";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { bytes, defineEnsemble, detokenizer, generate, int64, tokenizer } from "tritype";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostOf, type Rows, tensorsOf } from "../generate/generate-model.ts";
import { folderOf } from "../generate/goldens.ts";
import { installJudge, installTime, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { generateStream, openStream, type StreamedAnswer } from "./stream-call.ts";

const models = ["gpt2", "llama", "bloom", "bart", "marian", "t5"] as const;
type Model = (typeof models)[number];

const settings = (model: Model) =>
  ({
    from: folderOf(model),
    search: { kind: "sample", topK: 0, temperature: 1.3 },
    maxNewTokens: 24,
    perRequest: ["max_new_tokens", "min_new_tokens", "seed", "temperature", "top_k", "top_p"],
  }) as const;
const given = { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") };

const batchWay = models.map((model) => generate({ name: `batch_${model}`, ...settings(model) }));
const streamed = models.map((model) => generate({ name: `stream_${model}`, ...settings(model), stream: true }));

const pipelines = [
  defineEnsemble({
    name: "all_at_once",
    maxBatchSize: 8,
    inputs: given,
    run: (inputs) =>
      Object.fromEntries(batchWay.map((step) => [step.name.replace("batch_", ""), step(inputs).sequences])),
  }),
  ...streamed.map((step) =>
    defineEnsemble({
      name: `tokens_of_${step.name.replace("stream_", "")}`,
      maxBatchSize: 1,
      inputs: given,
      run: (inputs) => ({ tokens: step(inputs).sequences }),
    }),
  ),
];

let folder: TemporaryFolder;
let triton: TritonServer;

beforeAll(async () => {
  folder = await temporaryFolder();
  const records = pipelines.map((one) => recordOf(one)).filter((one) => one !== undefined);
  const { build, diagnostics } = compile(records, {
    host: hostOf(),
    siteOf: () => [{ file: "pipeline.ts", line: 1, column: 1 }],
    release: defaultRelease,
    docker: false,
  });
  invariant(build !== undefined, JSON.stringify(diagnostics, null, 1));
  writeBuild(folder.path, build.tree);
  triton = await serveTriton(await installJudge(), { repository: join(folder.path, "model_repository") });
  await triton.waitReady();
}, installTime);
afterAll(async () => {
  await triton?.stop();
  await folder?.remove();
});

const tokensOf = (outputs: NamedTensors, name = "sequences"): readonly number[] => {
  const found = outputs.get(name);
  return found === undefined ? [] : valuesOf(found).map(Number);
};

const stream = async (model: string, rows: Rows): Promise<readonly StreamedAnswer[]> =>
  openStream(triton.grpcAddress, model, tensorsOf(rows)).answers;

test("Triton loads it without a problem", () => {
  expect(triton.problems()).toEqual([]);
});

test.each(models)("%s: a row gets the batch way's tokens, in any company", async (model) => {
  const client = grpcClient(triton.grpcAddress);
  const rows = Array.from({ length: 12 }, (_, index): Rows => ({
    prompts: [Array.from({ length: 1 + ((index * 5) % 9) }, (_none, at) => 3 + ((index * 7 + at * 3) % 36))],
    said: { seed: [index], max_new_tokens: [1 + ((index * 7) % 24)] },
  }));
  const expected: (readonly number[])[] = [];
  for (const row of rows) {
    const outputs = await client.infer({ model: `batch_${model}`, inputs: tensorsOf(row) });
    expected.push(tokensOf(outputs));
  }
  await client.close();
  const answers = await Promise.all(rows.map((row) => stream(`stream_${model}`, row)));
  expect(answers.map((one) => one.flatMap(({ outputs }) => tokensOf(outputs)))).toEqual(expected);
  expect(answers.map((one) => one.map(({ error }) => error).join(""))).toEqual(rows.map(() => ""));
  expect(answers.map((one) => one.findIndex(({ isFinal }) => isFinal))).toEqual(answers.map((one) => one.length - 1));
});
