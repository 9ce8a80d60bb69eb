import { encodeUtf8, type StepDefinition } from "@tritype/core";
import { expect, test } from "vitest";
import type { CompilerHost } from "../compiler-host.ts";
import { readTokenizer } from "./read-tokenizer.ts";
import { tokenizerDiagnostics } from "./tokenizer-diagnostics.ts";

const span = { file: "pipeline.ts", line: 8, column: 18 };
const stepOf = (options: object): StepDefinition => ({
  name: "tokenize",
  kind: "tokenizer",
  inputs: {},
  outputs: {},
  options: { from: "assets/e5", maxLength: 16, ...options },
  site: [span],
});
const hostOf = (files: Readonly<Record<string, string | Uint8Array>>): CompilerHost => ({
  readFile: (path) => {
    const file = files[path];
    return typeof file === "string" ? encodeUtf8(file) : file;
  },
  listFiles: () => undefined,
  sha256: () => "",
});

const wordPiece = {
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: [
    { id: 0, content: "[PAD]" },
    { id: 1, content: "[UNK]" },
  ],
  post_processor: { type: "BertProcessing", sep: ["[SEP]", 3], cls: ["[CLS]", 2] },
  model: { type: "WordPiece", unk_token: "[UNK]", vocab: { "[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3 } },
};
const json = "assets/e5/tokenizer.json";
const config = "assets/e5/tokenizer_config.json";

/** `code: message → help`, with the label's text. */
const problems = (options: object, files: Readonly<Record<string, string | Uint8Array>> | object): string[] =>
  readTokenizer(stepOf(options), hostOf(files as Readonly<Record<string, string>>)).diagnostics.map((it) => {
    expect(it.labels.map((label) => label.span)).toEqual([span]);
    return `${it.severity} ${it.code}: ${it.message} (${it.help}) [${it.labels[0]?.text}]`;
  });
const withFile = (change: object, settings?: object): Record<string, string> => ({
  [json]: JSON.stringify({ ...wordPiece, ...change }),
  ...(settings === undefined ? {} : { [config]: JSON.stringify(settings) }),
});
const good = withFile({});

const withLanguages = (...tokens: readonly string[]): Record<string, string> =>
  withFile({
    added_tokens: [
      ...wordPiece.added_tokens,
      ...tokens.map((content, index) => ({ id: 4 + index, content })),
    ],
  });
const bert = wordPiece.post_processor;
const bytes = { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true };
const sequenceOf = (...processors: readonly object[]): object => ({ type: "Sequence", processors });
const text = (id: "A" | "B"): object => ({ Sequence: { id, type_id: 0 } });
const token = (id: string): object => ({ SpecialToken: { id, type_id: 0 } });
const template = (change: object): object => ({
  type: "TemplateProcessing",
  single: [token("[CLS]"), text("A")],
  pair: [token("[CLS]"), text("A"), text("B")],
  special_tokens: { "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] } },
  ...change,
});
const brokenPart = (part: string, problem: string, advice: string): string =>
  `error tokenizer/broken-part: ${json} cannot be used: \`${part}\` ${problem} (${advice}) [uses ${json}]`;
const none = (problem: string): string =>
  `error tokenizer/no-languages: \`languages\` of tokenizer \`tokenize\` finds no languages in ${json}: ${problem} (set \`tokens\` to a pattern such as "__*__", where the star stands for the language's name in requests, or to a table from that name to the token) [uses ${json}]`;

const cases: readonly (readonly [string, object, object, readonly string[]])[] = [
  ["a good step", {}, good, []],
  [
    "all invalid options",
    { maxLength: 1.5, padding: "widest", prefix: "\ud800", ids: "FP32", pair: 1 },
    good,
    [
      "error tokenizer/invalid-option: `maxLength` of tokenizer `tokenize` must be a whole number of tokens, got 1.5 (change `maxLength`) [defined here]",
      'error tokenizer/invalid-option: `padding` of tokenizer `tokenize` must be "longest", "maxLength", { multipleOf: n } or { buckets: [n, …] } with whole numbers from 1, got "widest" (change `padding`) [defined here]',
      'error tokenizer/invalid-option: `prefix` of tokenizer `tokenize` must not contain a lone surrogate, which is not valid text, got "\\ud800" (change `prefix`) [defined here]',
      "error tokenizer/invalid-option: `pair` of tokenizer `tokenize` must be true or false, got 1 (change `pair`) [defined here]",
      'error tokenizer/invalid-option: `ids` of tokenizer `tokenize` must be int64 or int32, got "FP32" (change `ids`) [defined here]',
    ],
  ],
  [
    "a multiple past maxLength",
    { maxLength: 20, padding: { multipleOf: 8 } },
    good,
    [
      "error tokenizer/padding-length: `padding` of tokenizer `tokenize`: rows of 20 tokens would be padded to 24, over `maxLength` (set `maxLength` to a multiple of 8) [padded here]",
    ],
  ],
  ["a multiple that fits", { padding: { multipleOf: 8 } }, good, []],
  [
    "buckets out of order",
    { padding: { buckets: [8, 8, 16] } },
    good,
    [
      "error tokenizer/padding-length: `padding` of tokenizer `tokenize`: the buckets 8, 8, 16 are not in ascending order (sort them and list each one once) [padded here]",
    ],
  ],
  [
    "buckets that end early",
    { padding: { buckets: [4, 8] } },
    good,
    [
      "error tokenizer/padding-length: `padding` of tokenizer `tokenize`: the buckets 4, 8 do not end at `maxLength`, 16 (make 16 the last bucket) [padded here]",
    ],
  ],
  ["buckets that fit", { padding: { buckets: [4, 16] } }, good, []],
  [
    "no file",
    {},
    {},
    [
      "error tokenizer/file-not-found: tokenizer `tokenize` needs assets/e5/tokenizer.json, which does not exist (set `from` to the folder with tokenizer.json, as a path from the project's root) [this tokenizer]",
    ],
  ],
  [
    "the file in place of its folder",
    { from: json },
    good,
    [
      "error tokenizer/file-not-found: tokenizer `tokenize` needs assets/e5/tokenizer.json/tokenizer.json, which does not exist (set `from` to the folder, without the file's name) [this tokenizer]",
    ],
  ],
  [
    "another format",
    { from: "assets/e5/" },
    { "assets/e5/vocab.json": "{}", "assets/e5/merges.txt": "" },
    [
      "error tokenizer/file-not-found: tokenizer `tokenize` needs assets/e5/tokenizer.json, which does not exist (the folder has vocab.json and merges.txt: create tokenizer.json from it with transformers, `AutoTokenizer.from_pretrained(folder).save_pretrained(folder)`) [this tokenizer]",
    ],
  ],
  [
    "no JSON",
    {},
    { [json]: '{"version": ' },
    [
      "error tokenizer/not-json: assets/e5/tokenizer.json is not JSON (download or export tokenizer.json again) [this tokenizer]",
    ],
  ],
  [
    "no UTF-8",
    {},
    { [json]: Uint8Array.from([0x22, 0xff, 0x22]) },
    [
      "error tokenizer/not-json: assets/e5/tokenizer.json is not JSON (download or export tokenizer.json again) [this tokenizer]",
    ],
  ],
  [
    "a Git LFS pointer",
    {},
    { [json]: "version https://git-lfs.github.com/spec/v1\noid sha256:0\n" },
    [
      "error tokenizer/not-json: assets/e5/tokenizer.json is not JSON (run `git lfs pull`: the file is a Git LFS pointer) [this tokenizer]",
    ],
  ],
  [
    "an unknown model",
    {},
    withFile({ model: { type: "SentencePiece", vocab: {} } }),
    [
      'error tokenizer/unknown-format: assets/e5/tokenizer.json is not a Hugging Face tokenizers file: model.type is "SentencePiece" (save it with `save_pretrained` of a fast tokenizer, or with `Tokenizer.save`) [this tokenizer]',
    ],
  ],
  [
    "no model",
    {},
    { [json]: '{"vocab": {}}' },
    [
      "error tokenizer/unknown-format: assets/e5/tokenizer.json is not a Hugging Face tokenizers file: model: Invalid input: expected object, received undefined (save it with `save_pretrained` of a fast tokenizer, or with `Tokenizer.save`) [this tokenizer]",
    ],
  ],
  ["an old file without model.type", {}, withFile({ model: { ...wordPiece.model, type: undefined } }), []],
  [
    "no pad token",
    {},
    withFile({ added_tokens: [], model: { type: "BPE", vocab: { a: 0 }, merges: [] } }),
    [
      'error tokenizer/no-pad-token: assets/e5/tokenizer.json has no pad token, so rows with different lengths cannot be combined into one tensor (set "pad_token" in assets/e5/tokenizer_config.json to a token from the vocabulary, often the end-of-text token) [uses assets/e5/tokenizer.json]',
    ],
  ],
  [
    "a pad token named in tokenizer_config.json",
    {},
    withFile(
      { added_tokens: [], model: { type: "BPE", vocab: { a: 0 }, merges: [] } },
      { pad_token: { content: "a" } },
    ),
    [],
  ],
  [
    "a maxLength that special tokens fill",
    { maxLength: 3, pair: true },
    good,
    [
      "error tokenizer/max-length-too-small: `maxLength` of tokenizer `tokenize` is 3, but its special tokens alone take up 3 (set `maxLength` to at least 4) [`maxLength` is 3]",
    ],
  ],
  ["the same without special tokens", { maxLength: 3, pair: true, addSpecialTokens: false }, good, []],
  [
    "a pad token that differs from the model's",
    {},
    { ...good, "assets/e5/config.json": '{"model_type":"roberta","pad_token_id":1}' },
    [
      'warning tokenizer/pad-id-differs: assets/e5/tokenizer.json pads with `[PAD]`, id 0, but assets/e5/config.json says that the model was trained with id 1 (set "pad_token" in tokenizer_config.json, next to it, to the model\'s own token) [uses assets/e5/tokenizer.json]',
    ],
  ],
  [
    "the model's pad token, or a file that does not name one",
    {},
    { ...good, "assets/e5/config.json": '{"model_type":"bert","pad_token_id":0}' },
    [],
  ],
  ["a config.json that is not transformers'", {}, { ...good, "assets/e5/config.json": "[" }, []],
  [
    "a maxLength above the model's",
    { maxLength: 600 },
    withFile({}, { model_max_length: 512 }),
    [
      "warning tokenizer/max-length-over-model: `maxLength` of tokenizer `tokenize` is 600, but tokenizer_config.json says that the model accepts 512 (set `maxLength` to at most 512) [`maxLength` is 600]",
    ],
  ],
  [
    "no unknown token",
    {},
    withFile({
      added_tokens: [{ id: 0, content: "<pad>" }],
      model: { type: "Unigram", vocab: [["<pad>", 0]], unk_id: null },
    }),
    [
      "warning tokenizer/no-unknown-token: assets/e5/tokenizer.json has no unknown token for text outside its Unigram vocabulary: such texts will fail (add the unknown token to the vocabulary and name it in `model`) [uses assets/e5/tokenizer.json]",
    ],
  ],
  [
    "dropout",
    {},
    withFile({ model: { type: "BPE", vocab: {}, merges: [], dropout: 0.1 } }),
    [
      'error tokenizer/random: assets/e5/tokenizer.json has `model.dropout` 0.1: the same text would get different tokens each time (set "dropout" to null: it is only meant for training) [uses assets/e5/tokenizer.json]',
    ],
  ],
  [
    "a Sequence that puts tokens around texts once",
    {},
    withFile({ post_processor: sequenceOf(bytes, bert) }),
    [],
  ],
  [
    "a Sequence that puts tokens around texts twice",
    {},
    withFile({ post_processor: sequenceOf(bytes, bert, template({})) }),
    [
      brokenPart(
        "post_processor.processors.2",
        "puts tokens around texts, as `post_processor.processors.1` already does",
        "keep one of them",
      ),
    ],
  ],
  [
    "a template that repeats its text",
    {},
    withFile({ post_processor: template({ single: [text("A"), token("[CLS]"), text("A")] }) }),
    [brokenPart("post_processor.single", "names texts A and A, but rows consist of A", "name A once")],
  ],
  [
    "a template of one text that names the second",
    {},
    withFile({ post_processor: template({ single: [text("A"), text("B")] }) }),
    [brokenPart("post_processor.single", "names texts A and B, but rows consist of A", "name A once")],
  ],
  [
    "a template of pairs that leaves one out, in a step for pairs",
    { pair: true },
    withFile({ post_processor: template({ pair: [token("[CLS]")] }) }),
    [brokenPart("post_processor.pair", "names no text, but rows consist of A and B", "name A and B once")],
  ],
  ["the same in a step for one text", {}, withFile({ post_processor: template({ pair: [] }) }), []],
  [
    "a template with a token that has no ids",
    {},
    withFile({ post_processor: sequenceOf(template({ single: [token("[X]"), text("A")] })) }),
    [
      brokenPart(
        "post_processor.processors.0.single",
        "names the token `[X]`, which its `special_tokens` lack",
        'add the ids of the token to "special_tokens"',
      ),
    ],
  ],
  [
    "pieces of length zero",
    {},
    withFile({ pre_tokenizer: { type: "FixedLength", length: 0 } }),
    [brokenPart("pre_tokenizer", "has `length` 0", "set the number of characters per piece")],
  ],
  [
    "a map that SentencePiece compiled",
    {},
    withFile({ normalizer: { type: "Precompiled", precompiled_charsmap: "BAAAAAAAAABh" } }),
    [],
  ],
  ...[undefined, "", "AAAAAA==", "/wAAAAAAAABh", "BAAAAAAAAABh*"].map(
    (precompiled_charsmap): readonly [string, object, object, readonly string[]] => [
      `a map that SentencePiece did not compile: ${precompiled_charsmap}`,
      {},
      withFile({
        normalizer: { type: "Sequence", normalizers: [{ type: "Precompiled", precompiled_charsmap }] },
      }),
      [
        brokenPart(
          "normalizer.normalizers.0",
          "has no valid `precompiled_charsmap` from SentencePiece",
          "recreate tokenizer.json from its SentencePiece model",
        ),
      ],
    ],
  ),
  [
    "a part that the library does not have",
    {},
    withFile({
      pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "Digits" }, { type: "Whitespaces" }] },
    }),
    [
      'error tokenizer/unknown-format: assets/e5/tokenizer.json is not a Hugging Face tokenizers file: pre_tokenizer.pretokenizers.1.type is "Whitespaces" (save it with `save_pretrained` of a fast tokenizer, or with `Tokenizer.save`) [this tokenizer]',
    ],
  ],
  [
    "a part without a type, as in old files",
    {},
    withFile({ normalizer: { strip_left: true, strip_right: true } }),
    [],
  ],
  ["languages of a known family", { languages: { source: true } }, withLanguages("__de__", "__en__"), []],
  [
    "one token that looks like a language",
    { languages: { source: true } },
    withLanguages("__de__"),
    [none("none of its added tokens is a language token")],
  ],
  [
    "a pattern that no token matches",
    { languages: { target: true, tokens: "<2*>" } },
    withLanguages("__de__", "__en__"),
    [none('no added token matches "<2*>"')],
  ],
  [
    "a pattern with characters of regular expressions",
    { languages: { target: true, tokens: "(*)." } },
    withLanguages("(de)."),
    [],
  ],
  [
    "a table with a token that does not exist",
    { languages: { target: true, tokens: { German: "__de__", English: "__uk__" } } },
    withLanguages("__de__"),
    [none('"__uk__", the token for "English", is not in the file')],
  ],
  [
    "invalid choices of languages",
    { languages: {} },
    good,
    [
      "error tokenizer/invalid-option: `languages` of tokenizer `tokenize` must set `source: true`, `target: true` or both, got {} (change `languages`) [defined here]",
    ],
  ],
  [
    "a pattern without a star",
    { languages: { source: true, tokens: "__en__" } },
    good,
    [
      'error tokenizer/invalid-option: `languages.tokens` of tokenizer `tokenize` must be a pattern with one star such as "__*__", or { code: token } with codes of 1 to 40 ASCII letters, got "__en__" (change `languages.tokens`) [defined here]',
    ],
  ],
  [
    "a source language for two texts",
    { languages: { source: true }, pair: true },
    withLanguages("__de__", "__en__"),
    [
      "error tokenizer/invalid-option: `languages.source` of tokenizer `tokenize` cannot be combined with `pair`: a row has one source language, got true (change `languages.source`) [defined here]",
    ],
  ],
  [
    "a maxLength that special tokens and a language fill",
    { maxLength: 3, languages: { source: true } },
    withLanguages("__de__", "__en__"),
    [
      "error tokenizer/max-length-too-small: `maxLength` of tokenizer `tokenize` is 3, but its special tokens alone take up 3 (set `maxLength` to at least 4) [`maxLength` is 3]",
    ],
  ],
  [
    "overflowing windows",
    { stride: 8 },
    good,
    [
      "error tokenizer/invalid-option: `stride` of tokenizer `tokenize` is not supported: overflowing windows would turn one text into several rows, but Triton's batches have one row for each row of the request; cut texts into windows before the request, got 8 (change `stride`) [defined here]",
    ],
  ],
  [
    "truncation of only one text, without pairs",
    { truncation: "onlyFirst" },
    good,
    [
      'error tokenizer/invalid-option: `truncation` of tokenizer `tokenize` applies to one text of a pair, so it needs `pair`, got "onlyFirst" (change `truncation`) [defined here]',
    ],
  ],
  [
    "sides and strategies that do not exist",
    { truncation: "longest", truncationSide: "top", paddingSide: 1 },
    good,
    [
      'error tokenizer/invalid-option: `truncationSide` of tokenizer `tokenize` must be "left" or "right", got "top" (change `truncationSide`) [defined here]',
      'error tokenizer/invalid-option: `paddingSide` of tokenizer `tokenize` must be "left" or "right", got 1 (change `paddingSide`) [defined here]',
      'error tokenizer/invalid-option: `truncation` of tokenizer `tokenize` must be true, false, "onlyFirst" or "onlySecond", got "longest" (change `truncation`) [defined here]',
    ],
  ],
  [
    "mistakes in options and file together",
    { padding: { multipleOf: 3 } },
    {},
    [
      "error tokenizer/padding-length: `padding` of tokenizer `tokenize`: rows of 16 tokens would be padded to 18, over `maxLength` (set `maxLength` to a multiple of 3) [padded here]",
      "error tokenizer/file-not-found: tokenizer `tokenize` needs assets/e5/tokenizer.json, which does not exist (set `from` to the folder with tokenizer.json, as a path from the project's root) [this tokenizer]",
    ],
  ],
];

test.each(cases)("%s", (_, options, files, expected) => {
  expect(problems(options, files)).toEqual(expected);
});

test("a byte order mark, which `tokenizers` refuses, is left out of the emitted file", () => {
  const marked = Object.fromEntries(
    Object.entries(withFile({}, { pad_token: "[UNK]" })).map(([path, text]) => [path, `\uFEFF${text}`]),
  );
  const { diagnostics, value } = readTokenizer(stepOf({}), hostOf(marked));
  expect(diagnostics).toEqual([]);
  expect(value?.file.bytes).toEqual(encodeUtf8(good[json] ?? ""));
  expect(value?.twin.pad.token).toBe("[UNK]");
});

test("every code has a case", () => {
  const told = cases.flatMap(([, , , expected]) => expected.map((line) => line.split(" ")[1]?.slice(0, -1)));
  expect([...new Set(told)].toSorted()).toEqual(Object.keys(tokenizerDiagnostics).toSorted());
});
