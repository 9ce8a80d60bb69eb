import { encodeUtf8, type StepDefinition } from "@tritype/core";
import { expect, test } from "vitest";
import type { CompilerHost } from "../compiler-host.ts";
import { readDetokenizer } from "./read-detokenizer.ts";

const span = { file: "pipeline.ts", line: 8, column: 18 };
const problems = (options: object, files: Readonly<Record<string, object>>): readonly string[] => {
  const step: StepDefinition = {
    name: "detokenize",
    kind: "detokenizer",
    inputs: {},
    outputs: {},
    options: { from: "assets/nllb", ...options },
    site: [span],
  };
  const host: CompilerHost = {
    readFile: (path) => (files[path] === undefined ? undefined : encodeUtf8(JSON.stringify(files[path]))),
    listFiles: () => undefined,
    sha256: () => "",
  };
  return readDetokenizer(step, host).diagnostics.map((it) => {
    expect(it.labels.map((label) => label.span)).toEqual([span]);
    return `${it.severity} ${it.code}: ${it.message} (${it.help}) [${it.labels[0]?.text}]`;
  });
};

const path = "assets/nllb/tokenizer.json";
const model = { type: "WordPiece", unk_token: "[UNK]", vocab: { "[UNK]": 0, a: 1 } };

test.each<readonly [string, object, Readonly<Record<string, object>>, readonly string[]]>([
  ["a good step", {}, { [path]: { model, decoder: { type: "WordPiece" } } }, []],
  [
    "no pad token is needed",
    { cleanUp: true, skipSpecialTokens: false },
    { [path]: { model, decoder: {} } },
    [],
  ],
  ["words need no decoder", {}, { [path]: { model: { ...model, type: "WordLevel" } } }, []],
  [
    "wrong options",
    { skipSpecialTokens: 1, cleanUp: "yes", ids: "FP32" },
    {},
    [
      'error tokenizer/invalid-option: `cleanUp` of detokenizer `detokenize` must be true or false, got "yes" (change `cleanUp`) [defined here]',
      "error tokenizer/invalid-option: `skipSpecialTokens` of detokenizer `detokenize` must be true or false, got 1 (change `skipSpecialTokens`) [defined here]",
      'error tokenizer/invalid-option: `ids` of detokenizer `detokenize` must be int64 or int32, got "FP32" (change `ids`) [defined here]',
    ],
  ],
  [
    "no file",
    {},
    {},
    [
      "error tokenizer/file-not-found: detokenizer `detokenize` needs assets/nllb/tokenizer.json, which does not exist (set `from` to the folder with tokenizer.json, as a path from the project's root) [this detokenizer]",
    ],
  ],
  [
    "no decoder",
    {},
    { [path]: { model, decoder: null } },
    [
      'warning detokenizer/no-decoder: assets/nllb/tokenizer.json has no decoder, so detokenizer `detokenize` joins the pieces of its WordPiece vocabulary with spaces (add its model\'s decoder to the file, such as { "type": "WordPiece", "prefix": "##", "cleanup": true } under "decoder") [uses assets/nllb/tokenizer.json]',
    ],
  ],
  [
    "a decoder that takes characters from the end",
    {},
    {
      [path]: {
        model,
        decoder: {
          type: "Sequence",
          decoders: [{ type: "Fuse" }, { type: "Strip", content: " ", start: 1, stop: 1 }],
        },
      },
    },
    [
      'error tokenizer/broken-part: assets/nllb/tokenizer.json cannot be used: `decoder.decoders.1` has `stop` 1, which makes the library fail on shorter pieces (set "stop" to 0 and remove them from the text in a step after the detokenizer) [uses assets/nllb/tokenizer.json]',
    ],
  ],
  [
    "settings that only truncation needs",
    {},
    {
      [path]: {
        model,
        decoder: { type: "Strip", content: " ", start: 1, stop: 0 },
        pre_tokenizer: { type: "FixedLength", length: 0 },
      },
    },
    [],
  ],
])("%s", (_, options, files, expected) => {
  expect(problems(options, files)).toEqual(expected);
});
