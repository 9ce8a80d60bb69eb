import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUtf8 } from "@tritype/core";
import { afterEach, describe, expect, test } from "vitest";
import type { OpenEngine } from "../../packages/runtime/src/twins/open-engine.ts";
import { loadTokenizerTwin } from "../../packages/runtime/src/twins/tokenizer-twin.ts";
import { type TextRequest, twinAnswers } from "./answers.ts";
import { tokenizerKinds } from "./kinds.ts";
import { ordinarySentences } from "./ordinary-sentences.ts";
import { type Options, type WrittenTokenizer, writeTokenizer } from "./tokenizer-model.ts";

/** `TRITYPE_TOKENIZERS=long`: all eight sentences of each language; by default two. */
const sentences =
  process.env["TRITYPE_TOKENIZERS"] === "long"
    ? ordinarySentences
    : ordinarySentences.filter((_, at) => at % 4 === 0);

const noBinary: OpenEngine = () => Promise.reject(new Error("Cannot find native binding.\nrequire stack"));
const masks = { tokenTypeIds: true, specialTokensMask: true } as const;
const modes: Readonly<Record<string, Options>> = {
  whole: { maxLength: 128, ...masks },
  cut: { maxLength: 9, padding: "maxLength", ...masks },
  "cut pairs, even": { maxLength: 20, pair: true, ...masks },
  "cut pairs, odd": { maxLength: 19, pair: true, ids: "INT32", ...masks },
  "no special tokens": { maxLength: 12, addSpecialTokens: false, prefix: "query: ", ...masks },
  "pairs, no special tokens": { maxLength: 15, addSpecialTokens: false, pair: true, ...masks },
  "no truncation": { maxLength: 12, truncation: false, ...masks },
};

const written: WrittenTokenizer[] = [];
const write = (name: Parameters<typeof writeTokenizer>[0], options: Options): WrittenTokenizer => {
  const made = writeTokenizer(name, options);
  written.push(made);
  return made;
};
afterEach(() => written.splice(0).forEach((it) => it.remove()));

/**
 * In each pair one text is short, alternately the first and the second: if both exceed maxLength, the engines may
 * differ.
 */
const requests = (pair: boolean): readonly TextRequest[] =>
  sentences.map((sentence, index) => {
    const long = [encodeUtf8(sentence)];
    if (!pair) return { text: long };
    const short = [encodeUtf8(sentence.slice(0, 1 + (index % 5)))];
    return index % 2 === 0 ? { text: short, text_pair: long } : { text: long, text_pair: short };
  });

const noSplit = (type: string, behavior: string): string =>
  `ignores \`behavior\` ${behavior} of the pre-tokenizer ${type}`;
const letters = "splits words at non-ASCII letters with the Whitespace pre-tokenizer";
const words = "does not split words before it merges them, with the pre-tokenizer Metaspace";
const refusedKinds: Readonly<Record<string, string>> = {
  "normalizer Nmt": "has no normalizer Nmt",
  "normalizer ByteLevel": "has no normalizer ByteLevel",
  "normalizer Precompiled": "does not support the map of the Precompiled normalizer",
  "pre-tokenizer Whitespace": letters,
  "pre-tokenizer CharDelimiterSplit": "has no pre-tokenizer CharDelimiterSplit",
  "pre-tokenizer UnicodeScripts": "has no pre-tokenizer UnicodeScripts",
  "pre-tokenizer Metaspace, always": words,
  "pre-tokenizer Metaspace, first": words,
  "pre-tokenizer Metaspace, never": words,
  "pre-tokenizer Metaspace, never, other mark": words,
  "pre-tokenizer Sequence": words,
  "pre-tokenizer Punctuation, removed": noSplit("Punctuation", "Removed"),
  "pre-tokenizer Punctuation, isolated": noSplit("Punctuation", "Isolated"),
  "pre-tokenizer Punctuation, merged_with_previous": noSplit("Punctuation", "MergedWithPrevious"),
  "pre-tokenizer Punctuation, merged_with_next": noSplit("Punctuation", "MergedWithNext"),
  "pre-tokenizer Split, string, removed": noSplit("Split", "Removed"),
  "pre-tokenizer Split, regex, inverted, isolated": noSplit("Split", "Isolated"),
  ...Object.fromEntries(
    ["string", "regex", "regex, inverted"].flatMap((pattern) => [
      [`pre-tokenizer Split, ${pattern}, merged_with_previous`, noSplit("Split", "MergedWithPrevious")],
      [`pre-tokenizer Split, ${pattern}, merged_with_next`, noSplit("Split", "MergedWithNext")],
      [`pre-tokenizer Split, ${pattern}, contiguous`, noSplit("Split", "Contiguous")],
    ]),
  ),
  "model BPE, byte fallback": letters,
  "model BPE, no byte fallback": letters,
  "model BPE, fused unknowns": letters,
  "model BPE, no unknown token": letters,
  "model BPE, merges ignored for whole words": letters,
  "model BPE, affixes": "ignores `continuing_subword_prefix` of BPE",
  "model WordLevel": letters,
  "added tokens, among words with a space in front":
    "puts a space after normalized added tokens with the pre-tokenizer Metaspace",
  "added tokens, single word": "ignores `single_word` of added tokens",
  "added tokens, single word, special, space on both sides": "ignores `single_word` of added tokens",
  "model Unigram, byte fallback": "ignores `byte_fallback` of Unigram",
};

describe("transformers.js replaces a missing native binary", () => {
  describe.each(["bert", "byte-bpe", "unigram"] as const)(
    "transformers.js gives the same tokens as the Rust library for %s",
    (name) => {
      test.each(Object.entries(modes))("%s", async (_, options) => {
        const { model, twin, outputs } = write(name, options);
        const asked = requests(options.pair === true);
        const native = await loadTokenizerTwin(twin.options, model, () => {});
        const fallback = await loadTokenizerTwin(twin.options, model, () => {}, noBinary);
        expect(await twinAnswers(fallback, asked, outputs)).toEqual(
          await twinAnswers(native, asked, outputs),
        );
      });
    },
  );

  describe("transformers.js gives the same tokens as the Rust library, or refuses the file", () => {
    const texts = [
      ...sentences,
      "Hello tritype! ﬁne  Hello , e\u0301 don't  12 3 a|b",
      "Wait... what?! (1,5)",
      "",
    ];
    const kinds = [...tokenizerKinds].filter(([name]) => !name.startsWith("decoder "));

    test.each(kinds)("%s", async (name, text) => {
      for (const pair of [false, true]) {
        const { model, twin, outputs } = write({ text }, { maxLength: 200, pair, ...masks });
        const asked = texts.map((it, at) => ({
          text: [encodeUtf8(it)],
          ...(pair ? { text_pair: [encodeUtf8(texts[(at + 3) % texts.length] ?? "")] } : {}),
        }));
        const load = loadTokenizerTwin(twin.options, model, () => {}, noBinary);
        const refused = refusedKinds[name];
        if (refused === undefined) {
          const native = await loadTokenizerTwin(twin.options, model, () => {});
          expect(await twinAnswers(await load, asked, outputs)).toEqual(
            await twinAnswers(native, asked, outputs),
          );
        } else
          await expect(load).rejects.toMatchObject({
            code: "tool/missing",
            message: expect.stringContaining(`transformers.js ${refused}`) as string,
          });
      }
    });
  });

  test("the use of transformers.js is reported once", async () => {
    const { model, twin } = write("unigram", { maxLength: 8 });
    const notices: string[] = [];
    const notice = (text: string): number => notices.push(text);
    await loadTokenizerTwin(twin.options, model, notice, noBinary);
    await loadTokenizerTwin(twin.options, model, notice, noBinary);
    expect(notices).toEqual([
      `the native tokenizer cannot be loaded on ${process.platform}-${process.arch} (Cannot find native binding.); transformers.js is used instead and may return different tokens for rare scripts: \`--python\` runs the emitted Python`,
    ]);
  });

  test("transformers.js has no offsets", async () => {
    const { model, twin } = write("unigram", { maxLength: 8, offsets: true });
    await expect(loadTokenizerTwin(twin.options, model, () => {}, noBinary)).rejects.toMatchObject({
      code: "tool/missing",
      message: "transformers.js gives no offsets of tokens",
    });
  });
});

test("a pre-tokenizer that transformers.js implements incorrectly is refused", async () => {
  const { model, twin } = write("word-level", { maxLength: 8 });
  await expect(loadTokenizerTwin(twin.options, model, () => {}, noBinary)).rejects.toMatchObject({
    code: "tool/missing",
    help: "run the emitted Python with `--python`",
  });
});

test("a broken tokenizer.json does not trigger the fallback", async () => {
  const { model, twin } = write("word-level", { maxLength: 8 });
  const file = join(model.versionFolder, "tokenizer.json");
  writeFileSync(file, "{}");
  const notices: string[] = [];
  await expect(loadTokenizerTwin(twin.options, model, (text) => notices.push(text))).rejects.toMatchObject({
    code: "repository/invalid",
    message: `${file} cannot be used: Error loading from fileModel missing. at line 1 column 2`,
  });
  expect(notices).toEqual([]);
});
