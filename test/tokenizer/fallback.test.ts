import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUtf8 } from "@tritype/core";
import { afterEach, describe, expect, test } from "vitest";
import type { OpenEngine } from "../../packages/runtime/src/twins/open-engine.ts";
import { loadTokenizerTwin } from "../../packages/runtime/src/twins/tokenizer-twin.ts";
import { type TextRequest, twinAnswers } from "./answers.ts";
import { ordinarySentences } from "./ordinary-sentences.ts";
import {
  type Options,
  type TokenizerName,
  type WrittenTokenizer,
  writeTokenizer,
} from "./tokenizer-model.ts";

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
const write = (name: TokenizerName, options: Options): WrittenTokenizer => {
  const made = writeTokenizer(name, options);
  written.push(made);
  return made;
};
afterEach(() => written.splice(0).forEach((it) => it.remove()));

/** One text of a pair is short, now the first and now the second: where both are over maxLength the engines may differ. */
const requests = (pair: boolean): readonly TextRequest[] =>
  ordinarySentences.map((sentence, index) => {
    const long = [encodeUtf8(sentence)];
    if (!pair) return { text: long };
    const short = [encodeUtf8(sentence.slice(0, 1 + (index % 5)))];
    return index % 2 === 0 ? { text: short, text_pair: long } : { text: long, text_pair: short };
  });

describe("without the native binary, transformers.js", () => {
  describe.each(["bert", "byte-bpe", "unigram"] as const)("gives the tokens of Rust for %s", (name) => {
    test.each(Object.entries(modes))("%s", async (_, options) => {
      const { model, twin, outputs } = write(name, options);
      const asked = requests(options.pair === true);
      const native = await loadTokenizerTwin(twin.options, model, () => {});
      const fallback = await loadTokenizerTwin(twin.options, model, () => {}, noBinary);
      expect(await twinAnswers(fallback, asked, outputs)).toEqual(await twinAnswers(native, asked, outputs));
    });
  });

  test("is announced once", async () => {
    const { model, twin } = write("unigram", { maxLength: 8 });
    const notices: string[] = [];
    const notice = (text: string): number => notices.push(text);
    await loadTokenizerTwin(twin.options, model, notice, noBinary);
    await loadTokenizerTwin(twin.options, model, notice, noBinary);
    expect(notices).toEqual([
      `the native tokenizer cannot be loaded on ${process.platform}-${process.arch} (Cannot find native binding.); transformers.js runs in its place and may give other tokens for rare scripts: \`--python\` runs the emitted Python`,
    ]);
  });

  test("has no offsets", async () => {
    const { model, twin } = write("unigram", { maxLength: 8, offsets: true });
    await expect(loadTokenizerTwin(twin.options, model, () => {}, noBinary)).rejects.toMatchObject({
      code: "tool/missing",
      message: "transformers.js gives no offsets of tokens",
    });
  });
});

test("a pre-tokenizer that transformers.js gets wrong is refused", async () => {
  const { model, twin } = write("word-level", { maxLength: 8 });
  await expect(loadTokenizerTwin(twin.options, model, () => {}, noBinary)).rejects.toMatchObject({
    code: "tool/missing",
    help: "run the emitted Python with `--python`",
  });
});

test("a broken tokenizer.json is no reason for the fallback", async () => {
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
