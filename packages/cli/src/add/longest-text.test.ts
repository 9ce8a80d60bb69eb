import { encodeUtf8 } from "@tritype/core";
import { expect, test } from "vitest";
import { longestText } from "./longest-text.ts";

const of = (files: Readonly<Record<string, unknown>>): ReturnType<typeof longestText> =>
  longestText(new Map(Object.entries(files).map(([path, json]) => [path, encodeUtf8(JSON.stringify(json))])));

test.each([
  ["no file states it", {}, undefined],
  [
    "the tokenizer states it",
    { "onnx/tokenizer_config.json": { model_max_length: 512 } },
    [512, "tokenizer_config.json"],
  ],
  ["a tokenizer without a limit", { "tokenizer_config.json": { model_max_length: 1e30 } }, undefined],
  [
    "positions of BERT",
    { "config.json": { model_type: "bert", max_position_embeddings: 512 } },
    [512, "config.json"],
  ],
  [
    "RoBERTa's positions start after the padding token",
    { "config.json": { model_type: "xlm-roberta", max_position_embeddings: 514, pad_token_id: 1 } },
    [512, "config.json"],
  ],
  ["positions of GPT-2", { "config.json": { model_type: "gpt2", n_positions: 1024 } }, [1024, "config.json"]],
  [
    "the smallest of all",
    {
      "tokenizer_config.json": { model_max_length: 512 },
      "sentence_bert_config.json": { max_seq_length: 256 },
      "config.json": { model_type: "bert", max_position_embeddings: 512 },
    },
    [256, "sentence_bert_config.json"],
  ],
  [
    "two limits that agree",
    { "tokenizer_config.json": { model_max_length: 512 }, "config.json": { max_position_embeddings: 512 } },
    [512, "tokenizer_config.json, config.json"],
  ],
  [
    "values of the wrong type",
    { "tokenizer_config.json": { model_max_length: "512" }, "config.json": [] },
    undefined,
  ],
] as const)("%s", (_, files, expected) => {
  expect(of(files)).toEqual(
    expected === undefined ? undefined : { tokens: expected[0], saidBy: expected[1] },
  );
});

test("a byte order mark is skipped", () => {
  const files = new Map([["tokenizer_config.json", encodeUtf8('\uFEFF{ "model_max_length": 512 }')]]);
  expect(longestText(files)?.tokens).toBe(512);
});

test("a file that is not JSON gives no length", () => {
  expect(longestText(new Map([["config.json", encodeUtf8("<html>")]]))).toBeUndefined();
});
