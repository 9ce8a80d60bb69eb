import { readFileSync } from "node:fs";
import { expect, test, onTestFinished } from "vitest";
import {
  type Answer,
  hostOf,
  nativeAnswers,
  type Options,
  problemsOf,
  pythonAnswers,
  type Rows,
  type WrittenModel,
  writeModel,
} from "./generate-model.ts";
import { folderOf, readGoldens, stepOfCase } from "./goldens.ts";

const bart: Options = { from: folderOf("bart"), search: { kind: "greedy" }, maxNewTokens: 8 };
const drawn: Options = {
  from: folderOf("gpt2"),
  search: { kind: "sample" },
  maxNewTokens: 8,
  perRequest: ["seed"],
};

const write = (options: Options, host = hostOf()): WrittenModel => {
  const written = writeModel(options, host);
  onTestFinished(() => written.remove());
  return written;
};

/** The answers of both sides to the requests in one execution; fails if they differ. */
const answer = async (written: WrittenModel, requests: readonly Rows[]): Promise<readonly Answer[]> => {
  const [native = []] = await nativeAnswers(written, requests);
  const [python = []] = await pythonAnswers([{ written, requests }]);
  expect(native).toEqual(python);
  return native;
};

test("a request with an invalid row fails alone", async () => {
  const right = { prompts: [[5, 6, 2]] };
  const written = write(bart);
  const [alone] = await answer(written, [right]);
  const answers = await answer(written, [
    right,
    { prompts: [[5, 2], []] },
    { prompts: [Array<number>(49).fill(5)] },
    { prompts: [[5, 40, 2]] },
    { prompts: [] },
    right,
  ]);
  expect(answers).toEqual([
    alone,
    { code: "INVALID_ARG", message: "generate: row 1 has no tokens" },
    { code: "INVALID_ARG", message: "generate: row 0 has 49 tokens, but the maximum is 48" },
    {
      code: "INVALID_ARG",
      message: "generate: row 0 of input_ids has the id 40, but the model's ids are 0 to 39",
    },
    { sequences: { dtype: "INT64", shape: [0, 0], values: [] } },
    alone,
  ]);
});

test("a setting does not replace an input, although Triton only counts them", async () => {
  const answers = await answer(write(drawn), [
    { prompts: [[5, 6, 2]], said: { seed: [1] }, lacks: "input_ids" },
    { prompts: [[5, 6, 2]], said: { seed: [1] }, lacks: "attention_mask" },
  ]);
  expect(answers).toEqual([
    { code: "INVALID_ARG", message: "generate: input input_ids is missing" },
    { code: "INVALID_ARG", message: "generate: input attention_mask is missing" },
  ]);
});

test("a model that fails for one request fails only that request", async () => {
  // Its configuration claims more positions than its file has.
  const config = JSON.parse(
    readFileSync(new URL("../fixtures/generate/bart/config.json", import.meta.url), "utf8"),
  ) as object;
  const host = hostOf({
    [`${folderOf("bart")}/config.json`]: JSON.stringify({ ...config, max_position_embeddings: 99 }),
  });
  const written = write(bart, host);
  const right = { prompts: [[5, 6, 2]] };
  const requests = [right, { prompts: [Array<number>(60).fill(5)] }, right];
  const both = [await nativeAnswers(written, requests), await pythonAnswers([{ written, requests }])];
  for (const [[one, failed, other] = []] of both) {
    expect(failed).toMatchObject({
      code: "INTERNAL",
      message: expect.stringMatching(/^generate: .*Gather/s),
    });
    expect(one).toEqual(other);
    expect(one).toHaveProperty("sequences");
  }
});

test("if a client disconnects, its rows end; in Python, they end before the next step", async () => {
  const written = write({ ...bart, minNewTokens: 8 });
  const requests = [
    { prompts: [[5, 6, 2]] },
    {
      prompts: [
        [7, 2],
        [8, 2],
      ],
      patience: 3,
    },
    { prompts: [[9, 2]] },
  ];
  const [answers = []] = await pythonAnswers([{ written, requests }]);
  const [native = []] = await nativeAnswers(written, [{ prompts: [[5, 6, 2]] }, { prompts: [[9, 2]] }]);
  expect(answers).toEqual([
    native[0],
    { code: "CANCELLED", message: "generate: the request was cancelled" },
    native[1],
  ]);
});

test("decoding continues up to the decoder's last position", async () => {
  const [long] = await answer(
    write({ ...drawn, search: { kind: "greedy" }, perRequest: [], minNewTokens: 8 }),
    [{ prompts: [Array.from({ length: 45 }, (_, index) => 3 + (index % 30))] }],
  );
  expect(long).toMatchObject({ sequences: { shape: [1, 3] } });
});

test("random draws depend on seed and row, not on the rest of the batch", async () => {
  const written = write(drawn);
  const requests = [1, 2, 3, 4].map((seed) => ({ prompts: [[5, 6, 7]], said: { seed: [seed] } }));
  const lists = [...requests.map((request) => [request]), requests];
  const native = await nativeAnswers(written, ...lists);
  expect(native).toEqual(await pythonAnswers(lists.map((list) => ({ written, requests: list }))));
  expect(native.at(-1)).toEqual(native.slice(0, -1).flat());
  expect(new Set(native.flat().map((one) => JSON.stringify(one))).size).toBeGreaterThan(1);
});

test.each(["gpt2", "marian"])(
  "tokens of %s are drawn with the probabilities of transformers",
  async (model) => {
    const folder = folderOf(model);
    const goldens = readGoldens(folder);
    const golden = goldens.cases.find(({ rows }) =>
      rows.every(({ log_probs: found }) => found !== undefined),
    );
    if (golden === undefined) throw new Error(`${model} has no sampled case`);
    const { temperature, top_k: topK, top_p: topP } = golden.options as Record<string, number>;
    const search = { kind: "sample", temperature, topK, topP } as NonNullable<Options["search"]>;
    const [, host] = stepOfCase(folder, {}, goldens, golden);
    const written = write({ from: folder, search, maxNewTokens: 1, perRequest: ["seed"] }, host);
    const draws = 600;
    for (const { input_ids: prompt, log_probs: [first = []] = [] } of golden.rows) {
      const seeds = Array.from({ length: draws }, (_, seed) => seed);
      const [[answered] = []] = await nativeAnswers(written, [
        { prompts: seeds.map(() => prompt), said: { seed: seeds } },
      ]);
      const tokens =
        answered !== undefined && "sequences" in answered ? (answered["sequences"]?.values ?? []) : [];
      expect(tokens).toHaveLength(draws);
      const expected = new Map(first);
      expect(tokens.filter((token) => !expected.has(token))).toEqual([]);
      for (const [token, log] of expected) {
        const share = Math.exp(log);
        const seen = tokens.filter((one) => one === token).length / draws;
        expect(Math.abs(seen - share)).toBeLessThan(5 * Math.sqrt((share * (1 - share)) / draws) + 1e-3);
      }
    }
  },
);

test("files and options that do not match are reported before anything runs", () => {
  const folder = folderOf("bart");
  const tokenizer = (last: number): string =>
    JSON.stringify({
      version: "1.0",
      added_tokens: [],
      model: { type: "WordLevel", vocab: { a: 0, b: last }, unk_token: "a" },
    });
  expect(problemsOf(bart, hostOf({ [`${folder}/tokenizer.json`]: tokenizer(39) }))).toEqual([]);
  expect(problemsOf(bart, hostOf({ [`${folder}/tokenizer.json`]: tokenizer(40) }))).toEqual([
    `generate/misfit: generate step \`generate\`: ${folder}/tokenizer.json does not match the model: it has ids up to 40, but the model 0 to 39`,
  ]);
  expect(
    problemsOf(
      bart,
      hostOf({ [`${folder}/config.json`]: '{ "vocab_size": 41, "decoder_start_token_id": 2 }' }),
    ),
  ).toEqual([
    `generate/misfit: generate step \`generate\`: ${folder}/config.json does not match ${folder}/decoder_model_merged.onnx: its vocabulary has 41 tokens, but the decoder scores 40`,
  ]);
  expect(problemsOf({ ...bart, perRequest: ["max_new_tokens", "max_new_tokens"] })).toEqual([
    'generate/invalid-option: `perRequest` of generate step `generate` must not repeat a name, got ["max_new_tokens","max_new_tokens"]',
  ]);
  expect(problemsOf({ ...bart, perRequest: ["seed", "top_k"] })).toEqual([
    'generate/invalid-option: `perRequest` of generate step `generate` has seed, top_k, which only a `search` of kind "sample" has, got ["seed","top_k"]',
  ]);
  expect(problemsOf({ ...drawn, forcedBosTokenId: 3 })).toEqual([
    "generate/invalid-option: `forcedBosTokenId` of generate step `generate` is only for encoder-decoders: a decoder continues its input, got 3",
  ]);
  expect(problemsOf({ from: folder, search: { kind: "greedy" } })).toEqual([
    "generate/length: generate step `generate`: the maximum number of tokens per row is not set",
  ]);
});

test("unsupported settings of a configuration are reported, but unknown ones are not", () => {
  const told = (model: string, configuration: object, options: Partial<Options> = {}): readonly string[] => {
    const folder = folderOf(model);
    const own = JSON.parse(
      readFileSync(new URL(`../fixtures/generate/${model}/generation_config.json`, import.meta.url), "utf8"),
    ) as object;
    const host = hostOf({
      [`${folder}/generation_config.json`]: JSON.stringify({ ...own, ...configuration }),
    });
    return problemsOf({ from: folder, maxNewTokens: 8, ...options }, host).map(
      (text) => /^generate\/unsupported-setting: .* sets `(.*), which generate\(\)/.exec(text)?.[1] ?? text,
    );
  };
  expect(told("gpt2", { do_sample: true, temperature: 0 })).toEqual(["temperature` to 0"]);
  expect(told("gpt2", { do_sample: true, top_p: 1.5 })).toEqual(["top_p` to 1.5"]);
  expect(told("gpt2", { repetition_penalty: 0 })).toEqual(["repetition_penalty` to 0"]);
  expect(told("gpt2", { repetition_penalty: 0 }, { repetitionPenalty: 1 })).toEqual([]);
  expect(told("gpt2", { min_length: 12 })).toEqual(["min_length` to 12"]);
  expect(told("gpt2", { min_length: 12 }, { minNewTokens: 3 })).toEqual([]);
  expect(told("bart", { min_length: 4 })).toEqual([]);
  expect(told("bart", { stop_strings: ["\n"] })).toEqual(['stop_strings` to ["\\n"]']);
  expect(told("bart", { guidance_scale: 1 })).toEqual([]);
  expect(told("bart", { eos_token_id: "2" })).toEqual(['eos_token_id` to "2"']);
  expect(told("bart", { suppress_tokens: [5, -1] })).toEqual(["suppress_tokens` to [5,-1]"]);
  expect(told("bart", { early_stopping: "always" })).toEqual(['early_stopping` to "always"']);
  expect(told("gpt2", { forced_bos_token_id: 4 })).toEqual(["forced_bos_token_id` to 4"]);
  const written = write(
    { from: folderOf("gpt2"), maxNewTokens: 4 },
    hostOf({
      [`${folderOf("gpt2")}/generation_config.json`]: '{ "eos_token_id": 2, "temperature": 0, "top_p": 0 }',
    }),
  );
  return answer(written, [{ prompts: [[5, 6, 7]] }]).then(([found]) =>
    expect(found).toMatchObject({ sequences: { values: [28, 19, 24, 10] } }),
  );
});

test("a request for which no token can follow fails alone, while the others continue", async () => {
  const written = write({
    ...bart,
    minNewTokens: 44,
    maxNewTokens: 45,
    perRequest: ["no_repeat_ngram_size"],
  });
  const right = { prompts: [[5, 6, 2]] };
  const [alone] = await answer(written, [right]);
  expect(
    await answer(written, [right, { prompts: [[7, 8, 2]], said: { no_repeat_ngram_size: [1] } }, right]),
  ).toEqual([
    alone,
    {
      code: "INTERNAL",
      message:
        "generate: no token can follow: the rules forbid all of them, or the model's scores are not numbers",
    },
    alone,
  ]);
});
