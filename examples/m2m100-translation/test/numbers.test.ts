import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { Tokenizer } from "tokenizers";
import { beforeAll, expect, test } from "vitest";
import { readGoldens, searchRows } from "../../../test/fixtures/generate/goldens.ts";
import {
  type GreedyLoop,
  openEncoderDecoder,
  type Request,
} from "../../../test/fixtures/generate/greedy-loop.ts";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const goldens = readGoldens(path("goldens.json"));
const rough = readGoldens(path("rough/goldens.json"));
const rows = searchRows(goldens, "greedy");

const languages = ["en", "fr", "de", "es"] as const;
type Language = (typeof languages)[number];
type Spelled = Readonly<Record<Language, string>> & { readonly number: number };
const numbers = JSON.parse(readFileSync(path("number-texts.json"), "utf8")) as Record<
  string,
  readonly Spelled[]
>;
const directions = languages.flatMap((source) =>
  languages.filter((target) => target !== source).map((target) => ({ source, target })),
);

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = Tokenizer.fromFile(path("../models/fp32/tokenizer.json"));
});

const code = (language: Language): number => tokenizer.tokenToId(`__${language}__`) ?? -1;
const encoded = async (text: string, source: Language): Promise<readonly number[]> => [
  code(source),
  ...(await tokenizer.encode(text)).getIds(),
];

const tokensOf = (of: readonly { readonly sequences: readonly { readonly tokens: readonly number[] }[] }[]) =>
  of.map(({ sequences }) => sequences[0]?.tokens);

/** The share of numbers that are translated correctly in the given directions, in batches of 64 requests. */
const wrongAnswers = async (model: GreedyLoop, part: string, ways: typeof directions): Promise<string[]> => {
  const asked = (numbers[part] ?? []).flatMap((spelled) => ways.map((way) => ({ spelled, ...way })));
  expect(asked.length).toBeGreaterThan(100);
  const wrong: string[] = [];
  for (let at = 0; at < asked.length; at += 64) {
    const batch = asked.slice(at, at + 64);
    const requests: Request[] = await Promise.all(
      batch.map(async ({ spelled, source, target }) => ({
        input_ids: await encoded(spelled[source], source),
        forced_bos_token_id: code(target),
      })),
    );
    const answers = await model.generate(requests, 63);
    const texts = await tokenizer.decodeBatch(
      answers.map((tokens) => [...tokens]),
      true,
    );
    for (const [i, { spelled, source, target }] of batch.entries())
      if (texts[i] !== spelled[target]) wrong.push(`${spelled.number} ${source} → ${target}: ${texts[i]}`);
  }
  return wrong;
};

test("the tokenizer returns the ids in the goldens: language code, words, EOS", async () => {
  for (const { cases } of [goldens, rough])
    for (const row of cases.flatMap((one) => [...one.rows])) {
      const { input_ids } = row;
      const text = "text" in row ? (row.text ?? "") : "";
      expect([input_ids[0], ...(await tokenizer.encode(text)).getIds()]).toEqual(input_ids);
      expect(tokenizer.idToToken(input_ids[0] ?? -1)).toMatch(/^__[a-z]{2}__$/u);
    }
});

test.each(["merged", "split"] as const)(
  "fp32 (%s) gives transformers' tokens, one by one and in a batch of mixed languages",
  async (files) => {
    const model = await openEncoderDecoder(path("../models/fp32"), goldens.tokens, files);
    const expected = tokensOf(rows);
    expect(expected).toHaveLength(30);
    expect(await model.generate(rows, 63)).toEqual(expected);
    expect((await Promise.all(rows.map((row) => model.generate([row], 63)))).flat()).toEqual(expected);
  },
);

test("int8: almost all tokens are the same as transformers'; the rounding of sums depends on the processor", async () => {
  const model = await openEncoderDecoder(path("../models/int8"), goldens.tokens, "merged", "_quantized");
  const answers = await model.generate(rows, 63);
  const same = tokensOf(rows).filter((tokens, at) => isDeepStrictEqual(tokens, answers[at]));
  expect(same.length).toBeGreaterThanOrEqual(28);
});

test("the data card gives the files' sizes: fp32 below 8 MB, int8 below 3 MB", () => {
  const card = readFileSync(path("../models/MODEL_CARD.md"), "utf8");
  for (const [kind, most] of [
    ["fp32", 8e6],
    ["int8", 3e6],
  ] as const) {
    const files = readdirSync(path(`../models/${kind}`)).filter((file) => file.endsWith(".onnx"));
    const sizes = files.map((file) => statSync(path(`../models/${kind}/${file}`)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(most);
    for (const [at, file] of files.entries())
      expect(card).toContain(`| \`${kind}/${file}\` | ${sizes[at]?.toLocaleString("en")} |`);
  }
});

test("the partly trained model gives transformers' tokens, and its beam search answers differ from its greedy ones", async () => {
  const model = await openEncoderDecoder(path("rough"), rough.tokens, "merged");
  const greedy = searchRows(rough, "greedy");
  expect(await model.generate(greedy, 63)).toEqual(tokensOf(greedy));
  const beams = searchRows(rough, "4 beams");
  const singly = await model.generate(beams, 63);
  const differ = tokensOf(beams).filter((tokens, at) => !isDeepStrictEqual(tokens, singly[at]));
  expect(differ.length).toBeGreaterThan(2);
});

test.each([
  ["fp32", ""],
  ["int8", "_quantized"],
] as const)("%s translates 0 to 99 in all directions, and unseen numbers", async (kind, suffix) => {
  const model = await openEncoderDecoder(path(`../models/${kind}`), goldens.tokens, "merged", suffix);
  expect(await wrongAnswers(model, "low", directions)).toEqual([]);
  const sample = directions.filter((_, at) => at % 4 === 0);
  const asked =
    sample.length * ((numbers["held out"] ?? []).length + (numbers["held out, in few words"] ?? []).length);
  const wrong = [
    ...(await wrongAnswers(model, "held out", sample)),
    ...(await wrongAnswers(model, "held out, in few words", sample)),
  ];
  expect(wrong.length / asked, wrong.join("\n")).toBeLessThanOrEqual(0.005);
});
