import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import { grpcClient } from "@tritype/client";
import { writeBuild } from "@tritype/project";
import { compile } from "@tritype/compiler";
import { invariant, type NamedTensors, valuesOf } from "@tritype/core";
import { recordOf } from "@tritype/dsl";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { defaultRelease } from "@tritype/triton";
import { defineEnsemble, generate, int64 } from "tritype";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostOf, type Rows, tensorsOf } from "../generate/generate-model.ts";
import { folderOf } from "../generate/goldens.ts";
import { installTime, type Judged, judgeRepository, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { expectSameAnswers } from "./same-answers.ts";

const greedy = generate({
  name: "greedy",
  from: folderOf("bart"),
  search: { kind: "greedy" },
  maxNewTokens: 20,
  perRequest: [
    "forced_bos_token_id",
    "max_new_tokens",
    "min_new_tokens",
    "no_repeat_ngram_size",
    "repetition_penalty",
  ],
});
const beams = generate({
  name: "beams",
  from: folderOf("marian"),
  search: { kind: "beam", beams: 3, returnSequences: 2, scores: true },
  maxNewTokens: 12,
});
const drawn = generate({
  name: "drawn",
  from: folderOf("gpt2"),
  search: { kind: "sample", topK: 0, temperature: 1.3, topP: 0.95 },
  maxNewTokens: 16,
  perRequest: ["seed", "temperature", "top_k", "top_p"],
});
/** A loop that may take minutes, because T5 has no maximum position. */
const endless = generate({
  name: "endless",
  from: folderOf("t5"),
  search: { kind: "greedy" },
  maxNewTokens: 20_000,
  minNewTokens: 20_000,
  perRequest: ["max_new_tokens", "min_new_tokens"],
  dynamicBatching: { maxQueueDelay: "300ms" },
});

export const translate = defineEnsemble({
  name: "translate",
  maxBatchSize: 8,
  inputs: {
    input_ids: int64("batch", "seq"),
    attention_mask: int64("batch", "seq"),
    language: int64("batch", 1),
  },
  run: ({ input_ids, attention_mask, language }) => ({
    tokens: greedy({ input_ids, attention_mask, forced_bos_token_id: language }).sequences,
    ...beams({ input_ids, attention_mask }),
    draft: drawn({ input_ids, attention_mask }).sequences,
    long: endless({ input_ids, attention_mask }).sequences,
  }),
});

let folder: TemporaryFolder;
let judged: Judged;

beforeAll(async () => {
  folder = await temporaryFolder();
  const record = recordOf(translate);
  invariant(record !== undefined, "an ensemble has a record");
  const { build, diagnostics } = compile([record], {
    host: hostOf(),
    siteOf: () => [{ file: "pipeline.ts", line: 1, column: 1 }],
    release: defaultRelease,
    docker: false,
  });
  invariant(build !== undefined, JSON.stringify(diagnostics, null, 1));
  expect(build.manifest.requirements).toEqual(["numpy", `onnxruntime==${defaultRelease.onnxruntime}`]);
  writeBuild(folder.path, build.tree);
  judged = await judgeRepository(join(folder.path, "model_repository"));
}, installTime);
afterAll(async () => {
  await judged?.stop();
  await folder.remove();
});

const ask = (model: string, rows: Rows): Promise<void> =>
  expectSameAnswers(judged, { model, inputs: tensorsOf(rows) });
const prompts = [
  [5, 6, 7, 2],
  [9, 2],
  [11, 12, 13, 14, 15, 16, 2],
  [30, 31, 2],
];

test("Triton loads the generate steps without a problem, and the twins run", () => {
  expect(judged.triton.problems()).toEqual([]);
  expect(judged.notices).toEqual([]);
});

test("requests of any length and size get the same answers, each by its own parameters", async () => {
  await Promise.all([
    ...prompts.map((prompt, index) =>
      ask("greedy", { prompts: [prompt], said: { max_new_tokens: [index + 1] } }),
    ),
    ask("greedy", { prompts }),
    ask("greedy", {
      prompts,
      said: {
        forced_bos_token_id: [4, 5, 6, 7],
        min_new_tokens: [0, 8, 0, 3],
        no_repeat_ngram_size: [0, 1, 2, 3],
        repetition_penalty: [1, 1.5, 2, 0.5],
      },
    }),
    ...prompts.map((prompt) => ask("beams", { prompts: [prompt, [8, 9, 0]] })),
    ...prompts.map((prompt, seed) =>
      ask("drawn", { prompts: [prompt, prompt, [3]], said: { seed: [seed, seed, -1] } }),
    ),
    ask("drawn", {
      prompts,
      said: {
        seed: [1, 2, 3, 4],
        temperature: [0.5, 1, 2, 9],
        top_k: [0, 1, 5, 100],
        top_p: [1, 0.1, 0.5, 0.9],
      },
    }),
  ]);
});

test.each<[string, string, Rows]>([
  ["no tokens", "greedy", { prompts: [[4, 2], []] }],
  ["too many tokens", "greedy", { prompts: [Array<number>(49).fill(4)] }],
  ["no place for a new token", "drawn", { prompts: [Array<number>(48).fill(4)] }],
  ["an id that the model lacks", "greedy", { prompts: [[4, 40]] }],
  ["the largest id there is", "greedy", { prompts: [[4, 2n ** 63n - 1n]] }],
  ["a language that the model lacks", "greedy", { prompts: [[4]], said: { forced_bos_token_id: [99] } }],
  ["too many new tokens", "greedy", { prompts: [[4]], said: { max_new_tokens: [21] } }],
  ["a temperature of 0", "drawn", { prompts: [[4]], said: { temperature: [0] } }],
  ["a share above 1", "drawn", { prompts: [[4]], said: { top_p: [1.5] } }],
])("%s: the request fails, with the same message everywhere", async (_, model, rows) => {
  await Promise.all([ask(model, rows), ask(model, { prompts: [[4, 2]] })]);
});

/** Sends the endless request over gRPC. The returned function cancels it. */
const sendEndless = (address: string): { readonly code: Promise<number>; readonly cancel: () => void } => {
  const client = new Client(address, credentials.createInsecure());
  const { path, request, response } = grpcMethod("ModelInfer");
  const message = grpcInferRequest({ model: "endless", id: "", inputs: tensorsOf({ prompts: [[5, 6, 1]] }) });
  let cancel = (): void => {};
  const code = new Promise<number>((resolve) => {
    const call = client.makeUnaryRequest(
      path,
      (one: object) => Buffer.from(request.encode(one)),
      response.decode,
      message,
      (error) => {
        client.close();
        resolve(error?.code ?? 0);
      },
    );
    cancel = () => call.cancel();
  });
  return { code, cancel };
};

const shortRows: Rows = { prompts: [[7, 8, 9, 1]], said: { max_new_tokens: [5], min_new_tokens: [0] } };

const tokensOf = (outputs: NamedTensors): readonly unknown[] => {
  const sequences = outputs.get("sequences");
  return sequences === undefined ? [] : valuesOf(sequences);
};

test("a cancelled request leaves the loop, and the other requests are answered", async () => {
  const call = { model: "endless", inputs: tensorsOf(shortRows) };
  const local = await judged.local.infer({ ...call, id: "" });
  const client = grpcClient(judged.triton.grpcAddress);
  const endlessCall = sendEndless(judged.triton.grpcAddress);
  await sleep(100);
  const beside = client.infer(call);
  await sleep(1500);
  endlessCall.cancel();
  expect(await endlessCall.code).toBe(1);
  expect(tokensOf(await beside)).toEqual(tokensOf(local.outputs));
  expect(tokensOf(await client.infer(call))).toEqual(tokensOf(local.outputs));
  await client.close();
  for (const runtime of [judged.local, await judged.python()]) {
    const controller = new AbortController();
    const long = runtime.infer(
      { model: "endless", id: "", inputs: tensorsOf({ prompts: [[5, 6, 1]] }) },
      controller.signal,
    );
    const other = runtime.infer({ ...call, id: "" });
    await sleep(800);
    controller.abort();
    await expect(long).rejects.toMatchObject({ code: "request/cancelled" });
    expect(tokensOf((await other).outputs)).toEqual(tokensOf(local.outputs));
  }
}, 60_000);
