import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compile } from "@tritype/compiler";
import { invariant, type NamedTensors, tensorOf, valuesOf } from "@tritype/core";
import { recordOf } from "@tritype/dsl";
import { grpcClient } from "@tritype/client";
import type { Manifest } from "@tritype/manifest";
import { writeBuild } from "@tritype/project";
import { type Runtime, startRuntime, type StreamedMessage } from "@tritype/runtime";
import { defaultRelease } from "@tritype/triton";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { bytes, defineEnsemble, detokenizer, generate, int64, optional, tokenizer } from "tritype";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileFixture, makeProject } from "../fixtures/project.ts";
import { hostOf, type Rows, tensorsOf } from "../generate/generate-model.ts";
import { folderOf } from "../generate/goldens.ts";
import { installJudge, installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { fallbackTokenizer } from "./byte-tokenizer.ts";
import { chatFiles, chatFolder, guideText, readFixture } from "./chat-guide.ts";
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
const streamed = models.map((model) =>
  generate({ name: `stream_${model}`, ...settings(model), stream: true }),
);

/**
 * The guide's program is `chat`; this is the same program without streaming. Its tokens often end within a character.
 */
const tokenize = tokenizer({ name: "tokenize_all", from: chatFolder, maxLength: 40 });
const whole = generate({
  name: "whole",
  from: chatFolder,
  search: { kind: "sample", temperature: 0.8 },
  maxNewTokens: 24,
  perRequest: ["seed"],
});
const spell = detokenizer({ name: "spell", from: chatFolder });
const prompt = { prompt: bytes("batch", 1), seed: optional(int64("batch", 1)) };

/** The same program with clean-up and with a tokenizer with byte fallback; its streaming step is warmed up. */
const spelledFrom = { from: "models/fallback", cleanUp: true } as const;
const shared = { ...settings("gpt2"), perRequest: ["seed"] } as const;
const wholeFallback = generate({ name: "whole_fallback", ...shared });
const spellFallback = detokenizer({ name: "spell_fallback", ...spelledFrom });
const speakFallback = generate({
  name: "speak_fallback",
  ...shared,
  stream: true,
  text: spelledFrom,
  modelWarmup: [
    {
      name: "three_tokens",
      batchSize: 1,
      inputs: { input_ids: [[3, 4, 5]], attention_mask: [[1, 1, 1]] },
    },
  ],
});

/** A step whose configuration claims more positions than the model file has. */
const overreaching = generate({
  name: "overreaching",
  from: "models/overstated",
  search: { kind: "greedy" },
  maxNewTokens: 60,
  minNewTokens: 60,
  stream: true,
});
/** A step whose rows may take minutes, because T5 has no maximum position. */
const endless = generate({
  name: "endless",
  from: folderOf("t5"),
  search: { kind: "greedy" },
  maxNewTokens: 20_000,
  minNewTokens: 20_000,
  perRequest: ["max_new_tokens", "min_new_tokens"],
  stream: true,
  maxBatchSize: 1,
});

const pipelines = [
  defineEnsemble({
    name: "all_at_once",
    maxBatchSize: 8,
    inputs: given,
    run: (inputs) =>
      Object.fromEntries(batchWay.map((step) => [step.name.replace("batch_", ""), step(inputs).sequences])),
  }),
  ...[...streamed, overreaching, endless].map((step) =>
    defineEnsemble({
      name: `tokens_of_${step.name.replace("stream_", "")}`,
      maxBatchSize: 1,
      inputs: given,
      run: (inputs) => ({ tokens: step(inputs).sequences }),
    }),
  ),
  defineEnsemble({
    name: "answer_fallback",
    maxBatchSize: 8,
    inputs: { ...given, seed: optional(int64("batch", 1)) },
    run: (inputs) => ({ text: spellFallback({ ids: wholeFallback(inputs).sequences }).text }),
  }),
  defineEnsemble({
    name: "chat_fallback",
    maxBatchSize: 1,
    inputs: { ...given, seed: optional(int64("batch", 1)) },
    run: (inputs) => ({ text: speakFallback(inputs).text }),
  }),
  defineEnsemble({
    name: "answer",
    maxBatchSize: 8,
    inputs: prompt,
    run: ({ prompt: text, seed }) => ({
      text: spell({ ids: whole({ ...tokenize({ text }), seed }).sequences }).text,
    }),
  }),
];

let folder: TemporaryFolder;
let triton: TritonServer;
/** Serves the same repository with native twins. */
let local: Runtime;

beforeAll(async () => {
  folder = await temporaryFolder();
  const records = pipelines.map((one) => recordOf(one)).filter((one) => one !== undefined);
  const { build, diagnostics } = compile(records, {
    host: hostOf(files()),
    siteOf: () => [{ file: "pipeline.ts", line: 1, column: 1 }],
    release: defaultRelease,
    docker: false,
  });
  invariant(build !== undefined, JSON.stringify(diagnostics, null, 1));
  writeBuild(folder.path, build.tree);
  await addGuide(join(folder.path, "model_repository"));
  const installation = await installJudge();
  const repository = join(folder.path, "model_repository");
  triton = await serveTriton(installation, { repository });
  await triton.waitReady();
  local = await startRuntime({
    repository,
    device: "cpu",
    python: "twin",
    pythonCommand: installation.python,
    notice: (text) => void notices.push(text),
    tellPython: (text) => void pythons.push(text),
  });
}, installTime);
afterAll(async () => {
  await Promise.all([triton && killTriton(triton), local?.close(true)]);
  await folder?.remove();
});

/** The files that these tests need in addition to the fixtures. */
const files = (): Readonly<Record<string, string | Uint8Array>> => {
  const config = JSON.parse(Buffer.from(readFixture("config.json")).toString()) as object;
  return {
    ...chatFiles(),
    "models/fallback/tokenizer.json": fallbackTokenizer(),
    "models/overstated/model.onnx": readFixture("model.onnx"),
    "models/overstated/generation_config.json": readFixture("generation_config.json"),
    "models/overstated/config.json": JSON.stringify({ ...config, n_positions: 99 }),
  };
};

/** Builds the guide's program, and adds its models to a repository. */
const addGuide = async (repository: string): Promise<void> => {
  const project = makeProject({ ...chatFiles(), "pipeline.ts": guideText("pipeline.ts") });
  try {
    const { compilation } = await compileFixture(project);
    expect(compilation.diagnostics).toEqual([]);
    invariant(compilation.build !== undefined, "a program without mistakes is built");
    const [ensemble, ...more] = compilation.build.manifest.ensembles;
    expect([ensemble?.name, ensemble?.streams, more.length]).toEqual(["chat", true, 0]);
    writeBuild(project.path("build"), compilation.build.tree);
    cpSync(project.path("build/model_repository"), repository, { recursive: true });
    const manifest = join(repository, "..", "manifest.json");
    const all = JSON.parse(readFileSync(manifest, "utf8")) as Manifest;
    const models = [...all.models, ...compilation.build.manifest.models];
    writeFileSync(manifest, JSON.stringify({ ...all, models }));
  } finally {
    project.remove();
  }
};

const notices: string[] = [];
/** The interpreters that the local runtime started. */
const pythons: string[] = [];

const tokensOf = (outputs: NamedTensors, name = "sequences"): readonly number[] => {
  const found = outputs.get(name);
  return found === undefined ? [] : valuesOf(found).map(Number);
};

const stream = async (model: string, rows: Rows): Promise<readonly StreamedAnswer[]> =>
  openStream(triton.grpcAddress, model, tensorsOf(rows)).answers;

/** The local runtime's messages for a request, each with its time of arrival. */
const streamHere = async (model: string, inputs: NamedTensors): Promise<readonly StreamedMessage[]> => {
  const messages: StreamedMessage[] = [];
  for await (const message of local.stream({ model, id: "x", inputs })) messages.push(message);
  return messages;
};

const errorsHere = (messages: readonly StreamedMessage[]): readonly string[] =>
  messages.flatMap(({ error }) => error?.message ?? []);

const textHere = (messages: readonly StreamedMessage[]): string =>
  messages.flatMap(({ response }) => valuesOf(response?.outputs.get("text") ?? noText).map(String)).join("");

const tokensHere = (messages: readonly StreamedMessage[]): readonly number[] =>
  messages.flatMap(({ response }) => (response === undefined ? [] : tokensOf(response.outputs)));

test("Triton and the local runtime load the models without a problem", () => {
  expect(triton.problems()).toEqual([]);
  expect(notices).toEqual([]);
  expect(local.decoupled("chat")).toBe(true);
  expect(pythons).toEqual([]);
});

/** Further settings of some rows. */
const sampled: readonly Rows["said"][] = [
  {},
  { temperature: [0.4] },
  { temperature: [3] },
  { top_k: [1] },
  { top_k: [4] },
  { top_p: [0.2] },
  { top_p: [0.9] },
  { min_new_tokens: [15], max_new_tokens: [20] },
  { temperature: [2], top_k: [7], top_p: [0.8], min_new_tokens: [3], max_new_tokens: [20] },
];

test("each sampling setting changes a row's tokens", async () => {
  const prompts = [[3, 9, 5]];
  const rows = sampled.map((said = {}) => tensorsOf({ prompts, said: { seed: [4], ...said } }));
  const tokens = await Promise.all(rows.map((row) => streamHere("stream_gpt2", row)));
  const [without, ...others] = tokens.map((messages) => tokensHere(messages).join(","));
  for (const [index, other] of others.entries()) expect(other, `${index}`).not.toBe(without);
});

test.each(models)(
  "%s: a row gets the same tokens as without streaming, regardless of the rest of the batch",
  async (model) => {
    const client = grpcClient(triton.grpcAddress);
    const rows = Array.from(
      { length: 12 },
      (_, index): Rows => ({
        prompts: [
          Array.from({ length: 1 + ((index * 5) % 9) }, (_none, at) => 3 + ((index * 7 + at * 3) % 36)),
        ],
        said: { seed: [index], max_new_tokens: [1 + ((index * 7) % 24)], ...sampled[index] },
      }),
    );
    const expected: (readonly number[])[] = [];
    for (const row of rows) {
      const outputs = await client.infer({ model: `batch_${model}`, inputs: tensorsOf(row) });
      expected.push(tokensOf(outputs));
    }
    await client.close();
    const answers = await Promise.all(rows.map((row) => stream(`stream_${model}`, row)));
    expect(answers.map((one) => one.flatMap(({ outputs }) => tokensOf(outputs)))).toEqual(expected);
    expect(answers.map((one) => one.map(({ error }) => error).join(""))).toEqual(rows.map(() => ""));
    expect(answers.map((one) => one.findIndex(({ isFinal }) => isFinal))).toEqual(
      answers.map((one) => one.length - 1),
    );
    const here = await Promise.all(rows.map((row) => streamHere(`stream_${model}`, tensorsOf(row))));
    expect(here.map(tokensHere)).toEqual(expected);
    expect(here.map((one) => one.findIndex(({ final }) => final))).toEqual(here.map((one) => one.length - 1));
  },
);

const textsOf = (events: Awaited<ReturnType<typeof generateStream>>): readonly string[] => {
  if (typeof events === "string") throw new Error(events);
  return events.map(({ text, ...rest }) =>
    typeof text === "string" ? text : JSON.stringify({ text, ...rest }),
  );
};

const chatInputs = (seed: number): NamedTensors =>
  new Map([
    ["prompt", tensorOf("BYTES", [1, 1], ["abc"])],
    ["seed", tensorOf("INT64", [1, 1], [seed])],
  ]);
const noText = tensorOf("BYTES", [0], []);

test("pieces of text are whole characters, and together equal the text without streaming", async () => {
  const client = grpcClient(triton.grpcAddress);
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);
  const expected: string[] = [];
  for (const seed of seeds) {
    const { text } = Object.fromEntries(await client.infer({ model: "answer", inputs: chatInputs(seed) }));
    expected.push(text === undefined ? "" : String(valuesOf(text)[0]));
  }
  await client.close();
  const answers = await Promise.all(
    seeds.map(async (seed) => textsOf(await generateStream(triton.httpUrl, "chat", { prompt: "abc", seed }))),
  );
  expect(answers.map((pieces) => pieces.join(""))).toEqual(expected);
  const here = await Promise.all(seeds.map((seed) => streamHere("chat", chatInputs(seed))));
  expect(here.map(textHere)).toEqual(expected);
  const isSplit = (text: string): boolean => /[à-ı]/u.test(text) && text.includes("\ufffd");
  expect(expected.filter(isSplit).length).toBeGreaterThan(3);
  // On a busy machine, several pieces are sent as one.
  expect(Math.max(...answers.map(({ length }) => length))).toBeGreaterThan(1);
});

test("with clean-up and byte fallback, pieces are whole characters, and together equal the text without streaming", async () => {
  const client = grpcClient(triton.grpcAddress);
  const rows = Array.from({ length: 40 }, (_, seed): Rows => ({ prompts: [[3, 4]], said: { seed: [seed] } }));
  const expected: string[] = [];
  for (const row of rows) {
    const { text } = Object.fromEntries(
      await client.infer({ model: "answer_fallback", inputs: tensorsOf(row) }),
    );
    expected.push(text === undefined ? "" : String(valuesOf(text)[0]));
  }
  await client.close();
  const pieces = await Promise.all(
    rows.map(async (row) =>
      (await stream("chat_fallback", row)).map(({ outputs }) =>
        String(valuesOf(outputs.get("text") ?? noText)),
      ),
    ),
  );
  const texts = pieces.map((all) => all.join(""));
  const here = await Promise.all(rows.map((row) => streamHere("chat_fallback", tensorsOf(row))));
  expect(here.map(textHere)).toEqual(texts);
  // The vocabulary has `?` and `!` only with a space before them.
  expect(expected.join("\n")).toMatch(/[a-z][?!]/);
  // A detokenizer replaces every byte of a run that is not UTF-8, but a stream has already sent the run's first characters.
  const withoutRuns = (text: string): string => text.replaceAll(/[\u0080-\uffff]+/g, "*");
  expect(texts.map(withoutRuns)).toEqual(expected.map(withoutRuns));
  const isValid = (text: string): boolean => !text.includes("\ufffd");
  expect(texts.filter((_, i) => isValid(expected[i] ?? ""))).toEqual(expected.filter(isValid));
  expect(pieces.flat().join()).toMatch(/[\u00c0-\u017f]/);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeGreaterThan(1);
});

test("a stop string ends the row, and no part of it is sent", async () => {
  const ask = async (body: object): Promise<readonly string[]> =>
    textsOf(await generateStream(triton.httpUrl, "chat", { prompt: "abc", seed: 5, ...body }));
  const all = (await ask({})).join("");
  expect(all.length).toBeGreaterThan(8);
  for (let at = 1; at < all.length - 2; at++)
    for (const size of [1, 2, 3]) {
      const stop = all.slice(at, at + size);
      const pieces = await ask({ stop: [stop, "not in the text"] });
      expect(pieces.join("")).toBe(all.slice(0, all.indexOf(stop)));
      const stops = tensorOf("BYTES", [1, 2], [stop, "not in the text"]);
      const here = await streamHere("chat", new Map([...chatInputs(5), ["stop", stops]]));
      expect(textHere(here)).toBe(pieces.join(""));
    }
  expect((await ask({ max_new_tokens: 1 })).length).toBe(1);
});

test("the last response says whether a row ended by itself, even if it did so at the maximum", async () => {
  const read = (answers: readonly NamedTensors[]) => {
    const texts = (name: string) =>
      answers.flatMap((outputs) => valuesOf(outputs.get(name) ?? noText).map(String));
    const [last, ...before] = texts("finish_reason").toReversed();
    expect(before.join("")).toBe("");
    return {
      reason: last,
      text: texts("text").join(""),
      size: answers.flatMap((one) => tokensOf(one)).length,
    };
  };
  /** What both servers answer. */
  const ask = async (seed: number, most: number, stop?: string) => {
    const rows = tensorsOf({ prompts: [[4, 9, 5]], said: { seed: [seed], max_new_tokens: [most] } });
    const stops = stop === undefined ? [] : [["stop", tensorOf("BYTES", [1, 1], [stop])] as const];
    const inputs = new Map([...rows, ...stops]);
    const remote = await openStream(triton.grpcAddress, "speak", inputs).answers;
    const here = await streamHere("speak", inputs);
    const answer = read(remote.map(({ outputs }) => outputs));
    expect(read(here.flatMap(({ response }) => response?.outputs ?? []))).toEqual(answer);
    return answer;
  };
  const reasons = new Set<string | undefined>();
  for (let seed = 0; seed < 12; seed++) {
    const { reason, text, size } = await ask(seed, 8);
    reasons.add(reason);
    if (size < 8) expect(reason).toBe("stop");
    const stop = text.at(-1) ?? "";
    if (reason !== "length" || text.indexOf(stop) < text.length - 1) continue;
    expect(await ask(seed, size, stop)).toEqual({ reason: "stop", text: text.slice(0, -1), size });
    reasons.add("stop at the maximum");
  }
  expect(reasons).toEqual(new Set(["length", "stop", "stop at the maximum"]));
});

test.each<[string, Rows]>([
  ["no tokens", { prompts: [[]] }],
  ["too many tokens", { prompts: [Array<number>(48).fill(4)] }],
  ["an id that the model lacks", { prompts: [[4, 40]] }],
  ["a temperature of 0", { prompts: [[4]], said: { temperature: [0] } }],
  ["too many new tokens", { prompts: [[4]], said: { max_new_tokens: [25] } }],
])("%s: one error, the same as without streaming, while other rows continue", async (_, rows) => {
  const client = grpcClient(triton.grpcAddress);
  const expected = await client.infer({ model: "batch_gpt2", inputs: tensorsOf(rows) }).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : ""),
  );
  await client.close();
  const [answers, others] = await Promise.all([
    stream("stream_gpt2", rows),
    stream("stream_gpt2", { prompts: [[4, 2]] }),
  ]);
  expect(answers.map(({ error }) => error)).toEqual([expected.replace("batch_gpt2", "stream_gpt2")]);
  expect(others.every(({ error }) => error === "")).toBe(true);
  const here = await streamHere("stream_gpt2", tensorsOf(rows));
  expect(errorsHere(here)).toEqual(answers.map(({ error }) => error));
});

test("a request with more than one row is refused", async () => {
  const [answer, ...more] = await stream("stream_gpt2", { prompts: [[4], [5]] });
  expect(more).toEqual([]);
  expect(answer?.error).toContain("the request has 2 rows");
  const here = await streamHere("stream_gpt2", tensorsOf({ prompts: [[4], [5]] }));
  expect(errorsHere(here)).toEqual([answer?.error]);
  const [refused] = await stream("tokens_of_gpt2", { prompts: [[4], [5]] });
  expect(refused?.error).toContain("batch-size must be <= 1");
});

test("if the model fails midway, only that row ends, after its tokens so far", async () => {
  const prompts = [[5], Array<number>(40).fill(6), Array<number>(12).fill(7)];
  const answers = await Promise.all(prompts.map((one) => stream("overreaching", { prompts: [one] })));
  expect(answers.map((one) => one.flatMap(({ outputs }) => tokensOf(outputs)).length)).toEqual([48, 9, 37]);
  for (const one of answers) {
    expect(one.filter(({ error }) => error !== "")).toHaveLength(1);
    expect(one.at(-1)?.error).toContain("overreaching: ");
  }
  const here = await Promise.all(
    prompts.map((one) => streamHere("overreaching", tensorsOf({ prompts: [one] }))),
  );
  expect(here.map((one) => tokensHere(one).length)).toEqual([48, 9, 37]);
  for (const one of here) expect(errorsHere(one)).toEqual([expect.stringContaining("overreaching: ")]);
});

test("a cancelled row immediately frees its slot", async () => {
  const short = { prompts: [[7, 8, 9, 1]], said: { max_new_tokens: [5], min_new_tokens: [0] } };
  const alone = await stream("endless", short);
  const long = openStream(triton.grpcAddress, "endless", tensorsOf({ prompts: [[5, 6, 1]] }));
  await long.first;
  const waiting = openStream(triton.grpcAddress, "endless", tensorsOf(short));
  await sleep(300);
  long.cancel();
  await expect(long.answers).rejects.toMatchObject({ code: 1 });
  const answers = await waiting.answers;
  const tokens = (all: readonly StreamedAnswer[]) => all.flatMap(({ outputs }) => tokensOf(outputs));
  expect(tokens(answers)).toEqual(tokens(alone));
  expect(answers[0]?.after).toBeGreaterThan(300);
  expect(answers.at(-1)?.after).toBeLessThan(3000);
  const messages = local.stream({
    model: "endless",
    id: "x",
    inputs: tensorsOf({ prompts: [[5, 6, 1]] }),
  });
  const reader = messages[Symbol.asyncIterator]();
  await reader.next();
  const here = streamHere("endless", tensorsOf(short));
  await reader.return?.();
  expect(tokensHere(await here)).toEqual(tokens(alone));
});

test("closing the runtime ends a running row with one error, without waiting for it", async () => {
  const messages = local.stream({ model: "endless", id: "x", inputs: tensorsOf({ prompts: [[5, 6, 1]] }) });
  const reader = messages[Symbol.asyncIterator]();
  await reader.next();
  await Promise.all([local.close(true), local.close(true)]);
  const rest: StreamedMessage[] = [];
  for (let next = await reader.next(); next.done !== true; next = await reader.next()) rest.push(next.value);
  expect(errorsHere(rest)).toEqual(["endless: the model is being unloaded"]);
});
