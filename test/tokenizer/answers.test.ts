import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUtf8 } from "@tritype/core";
import { loadTwin } from "@tritype/runtime";
import { afterEach, expect, test } from "vitest";
import { type Answer, pythonAnswers, type TextRequest, twinAnswers } from "./answers.ts";
import {
  type Options,
  type TokenizerName,
  type WrittenTokenizer,
  writeTokenizer,
} from "./tokenizer-model.ts";

const written: WrittenTokenizer[] = [];
afterEach(() => written.splice(0).forEach((it) => it.remove()));

const write = (name: TokenizerName, options: Options): WrittenTokenizer => {
  const made = writeTokenizer(name, options);
  written.push(made);
  return made;
};
const rows = (...texts: readonly (string | readonly number[])[]): readonly Uint8Array[] =>
  texts.map((text) => (typeof text === "string" ? encodeUtf8(text) : Uint8Array.from(text)));

/** The answers from both sides; fails if they differ. */
const answer = async (
  made: WrittenTokenizer,
  requests: readonly TextRequest[],
  outputs: readonly string[] = made.outputs,
): Promise<readonly Answer[]> => {
  const [python] = await pythonAnswers([{ written: made, requests, outputs }]);
  const twin = await loadTwin(made.twin, made.model);
  expect(twin).toBeDefined();
  const ours = twin === undefined ? [] : await twinAnswers(twin, requests, outputs);
  expect(ours).toEqual(python);
  return ours;
};
const tensor = (shape: readonly number[], head: readonly number[], dtype = "INT64"): object =>
  expect.objectContaining({ dtype, shape, head });

test("rows of one request are padded together, those of different requests are not", async () => {
  const made = write("bert", { maxLength: 16 });
  expect(await answer(made, [{ text: rows("hello world", "hi") }, { text: rows("hi") }])).toEqual([
    {
      input_ids: tensor([2, 4], [101, 7592, 2088, 102, 101, 7632, 102, 0]),
      attention_mask: tensor([2, 4], [1, 1, 1, 1, 1, 1, 1, 0]),
    },
    { input_ids: tensor([1, 3], [101, 7632, 102]), attention_mask: tensor([1, 3], [1, 1, 1]) },
  ]);
});

test("only requested outputs are computed", async () => {
  const made = write("bert", { maxLength: 16, tokenTypeIds: true, pair: true, ids: "INT32" });
  const request = { text: rows("hi"), text_pair: rows("hello world") };
  expect(await answer(made, [request], ["token_type_ids"])).toEqual([
    { token_type_ids: tensor([1, 6], [0, 0, 0, 1, 1, 1], "INT32") },
  ]);
});

test("a request without rows gets an answer without rows", async () => {
  const empty = [{ text: [] }];
  const longest = write("bert", { maxLength: 16, offsets: true });
  expect(await answer(longest, empty)).toEqual([
    { input_ids: tensor([0, 0], []), attention_mask: tensor([0, 0], []), offsets: tensor([0, 0, 2], []) },
  ]);
  const buckets = write("bert", { maxLength: 16, padding: { buckets: [4, 16] } });
  expect(await answer(buckets, empty, ["input_ids"])).toEqual([{ input_ids: tensor([0, 4], []) }]);
  const fixed = write("bert", { maxLength: 16, padding: "maxLength" });
  expect(await answer(fixed, empty, ["input_ids"])).toEqual([{ input_ids: tensor([0, 16], []) }]);
});

test("empty texts and NUL are texts", async () => {
  const made = write("bert", { maxLength: 16 });
  expect(await answer(made, [{ text: rows("", "\0", "a\0b") }], ["input_ids"])).toEqual([
    { input_ids: tensor([3, 3], [101, 102, 0, 101, 102, 0, 101, 11113, 102]) },
  ]);
  const bare = write("bert", { maxLength: 16, addSpecialTokens: false });
  expect(await answer(bare, [{ text: rows("") }], ["input_ids"])).toEqual([
    { input_ids: tensor([1, 0], []) },
  ]);
});

test("the smallest bucket that fits the longest row is used", async () => {
  const made = write("bert", { maxLength: 8, padding: { buckets: [3, 5, 8] } });
  const requests = ["a", "a a", "a a a", "a a a a", "a a a a a a a a a"].map((text) => ({
    text: rows("a", text),
  }));
  const shapes = (await answer(made, requests, ["attention_mask"])).map(
    (it) => (it as Readonly<Record<string, { readonly shape: readonly number[] }>>)["attention_mask"]?.shape,
  );
  expect(shapes).toEqual([
    [2, 3],
    [2, 5],
    [2, 5],
    [2, 8],
    [2, 8],
  ]);
});

test("offsets count code points of the text including its prefix", async () => {
  const made = write("bert", { maxLength: 16, prefix: "𠮷 ", offsets: true });
  expect(await answer(made, [{ text: rows("日é😀x") }], ["offsets"])).toEqual([
    { offsets: tensor([1, 5, 2], [0, 0, 0, 1, 2, 3, 3, 6, 0, 0]) },
  ]);
});

test("a row that is not UTF-8 fails its request, but not the others", async () => {
  const made = write("bert", { maxLength: 16, pair: true });
  const surrogate = [0xed, 0xa0, 0x80];
  expect(
    await answer(
      made,
      [
        { text: rows("a", [0x61, 0xff]), text_pair: rows("b", "b") },
        { text: rows("a"), text_pair: rows("b") },
        { text: rows("a", "a"), text_pair: rows(surrogate, "b") },
      ],
      ["attention_mask"],
    ),
  ).toEqual([
    { code: "INVALID_ARG", message: "tokenize: row 1 of text is not valid UTF-8" },
    { attention_mask: tensor([1, 5], [1, 1, 1, 1, 1]) },
    { code: "INVALID_ARG", message: "tokenize: row 0 of text_pair is not valid UTF-8" },
  ]);
});

test("without truncation a long row is an error", async () => {
  const made = write("bert", { maxLength: 4, truncation: false, padding: "maxLength" });
  expect(
    await answer(made, [{ text: rows("a a", "a a a") }, { text: rows("a a") }], ["attention_mask"]),
  ).toEqual([
    { code: "INVALID_ARG", message: "tokenize: row 1 has 5 tokens, but the maximum is 4" },
    { attention_mask: tensor([1, 4], [1, 1, 1, 1]) },
  ]);
});

test.each([
  ["onlySecond", "text", "text_pair"],
  ["onlyFirst", "text_pair", "text"],
] as const)(
  "%s: a pair whose other text leaves no room fails its request",
  async (truncation, other, cut) => {
    const made = write("bert", { maxLength: 8, pair: true, truncation, paddingSide: "left" });
    const long = rows("d e f g h i j k");
    expect(
      await answer(
        made,
        [
          { [other]: rows("a b"), [cut]: long },
          { [other]: rows("a b c d e f g"), [cut]: long },
          { [other]: rows("a", "b"), [cut]: rows("c", "c c") },
          { [other]: rows("a b c d"), [cut]: long },
          { [other]: rows("a b c d e"), [cut]: rows("") },
          { [other]: rows("a", "a b c d e"), [cut]: rows("c", "c") },
          { [other]: rows("a b c d e f"), [cut]: rows("") },
        ],
        ["attention_mask"],
      ),
    ).toEqual([
      { attention_mask: tensor([1, 8], [1, 1, 1, 1, 1, 1, 1, 1]) },
      {
        code: "INVALID_ARG",
        message: `tokenize: row 0 has 18 tokens, but the maximum is 8: 10 of them are outside ${cut}, the only text that is truncated`,
      },
      { attention_mask: tensor([2, 6], [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) },
      { attention_mask: tensor([1, 8], [1, 1, 1, 1, 1, 1, 1, 1]) },
      { attention_mask: tensor([1, 8], [1, 1, 1, 1, 1, 1, 1, 1]) },
      {
        code: "INVALID_ARG",
        message: `tokenize: row 1 has 9 tokens, but the maximum is 8: 8 of them are outside ${cut}, the only text that is truncated`,
      },
      {
        code: "INVALID_ARG",
        message: `tokenize: row 0 has 9 tokens, but the maximum is 8: 9 of them are outside ${cut}, the only text that is truncated`,
      },
    ]);
  },
);

test("a pair whose text to be cut is too short fails its request", async () => {
  const made = write("word-level", {
    maxLength: 3,
    pair: true,
    truncation: "onlyFirst",
    addSpecialTokens: false,
  });
  expect(
    await answer(made, [{ text: rows("cat"), text_pair: rows("the cat sleeps in") }], ["attention_mask"]),
  ).toEqual([
    {
      code: "INVALID_ARG",
      message:
        "tokenize: row 0 has 5 tokens, but the maximum is 3: 4 of them are outside text, the only text that is truncated",
    },
  ]);
});

test("the engine's error message is passed on", async () => {
  const made = write("word-level", { maxLength: 4 });
  const file = join(made.model.versionFolder, "tokenizer.json");
  writeFileSync(file, readFileSync(file, "utf8").replace(/"unk_token":\s*"\[UNK\]"/, '"unk_token":"[NONE]"'));
  expect(await answer(made, [{ text: rows("xyzzy") }, { text: rows("cat") }], ["attention_mask"])).toEqual([
    {
      code: "INTERNAL",
      message: "tokenize: WordLevel error: Missing [UNK] token from the vocabulary",
    },
    { attention_mask: tensor([1, 1], [1]) },
  ]);
});

test("an output that config.pbtxt declares with different dims is an error", async () => {
  const made = write("bert", { maxLength: 16, offsets: true });
  const { config } = made.model;
  const output = (config.output ?? []).map((it) => (it.name === "offsets" ? { ...it, dims: [-1, 3] } : it));
  const declared = { ...made, model: { ...made.model, config: { ...config, output } } };
  expect(await answer(declared, [{ text: rows("a") }])).toEqual([
    {
      code: "INTERNAL",
      message: "tokenize: output offsets has shape [1, 3, 2], but config.pbtxt declares [-1, 3]",
    },
  ]);
});

test("a kind of twin that this runtime lacks is left to Python", async () => {
  const made = write("bert", { maxLength: 16 });
  expect(await loadTwin({ ...made.twin, kind: "dream" }, made.model)).toBeUndefined();
});

test("options that cannot be read are refused", async () => {
  const made = write("bert", { maxLength: 16 });
  await expect(loadTwin({ ...made.twin, options: {} }, made.model)).rejects.toMatchObject({
    code: "repository/invalid",
    message: "the manifest's options of tokenize cannot be read",
  });
});
