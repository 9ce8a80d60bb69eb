import { expect, test } from "vitest";
import { emitDetokenizer, emitTokenizer, type Options, type TokenizerName } from "./tokenizer-model.ts";

const expectedConfig = {
  backend: "python",
  dynamic_batching: {},
  instance_group: [{ kind: "KIND_CPU", count: 1 }],
};

const cases: readonly (readonly [string, TokenizerName, Options])[] = [
  ["default", "bert", { maxLength: 512 }],
  [
    "full",
    "byte-bpe",
    {
      maxLength: 256,
      padding: { buckets: [32, 64, 256] },
      truncation: false,
      addSpecialTokens: false,
      prefix: 'query: "𠮷"\n',
      pair: true,
      ids: "INT32",
      tokenTypeIds: true,
      offsets: true,
      specialTokensMask: true,
    },
  ],
  ["pair", "wordpiece", { maxLength: 64, pair: true, truncation: "onlySecond", truncationSide: "left" }],
  [
    "languages",
    "m2m100",
    {
      maxLength: 256,
      languages: { source: true, target: true },
      padding: { multipleOf: 8 },
      truncation: false,
    },
  ],
  ["languages-replaced", "mbart", { maxLength: 256, languages: { source: true }, padding: "maxLength" }],
];

test.each(cases)("model.py with %s options is as expected", async (file, name, options) => {
  const { files } = emitTokenizer(name, options);
  const model = files.get("model.py");
  expect([...files.keys()]).toEqual(["model.py", "tokenizer.json"]);
  expect(files.get("tokenizer.json")).toMatchObject({ kind: "copy" });
  await expect(model?.kind === "text" ? model.text : "").toMatchFileSnapshot(`expected/${file}.py`);
});

test.each([
  ["detokenizer", "m2m100", {}],
  ["detokenizer-full", "word-level", { skipSpecialTokens: false, cleanUp: true }],
] as const)("model.py of a %s is as expected", async (file, name, options) => {
  const { files, config, requirements, twin } = emitDetokenizer(name, options);
  const model = files.get("model.py");
  expect(files.get("tokenizer.json")).toMatchObject({ kind: "copy" });
  await expect(model?.kind === "text" ? model.text : "").toMatchFileSnapshot(`expected/${file}.py`);
  expect(config).toEqual(expectedConfig);
  expect(requirements).toEqual(["numpy", "tokenizers==0.23.2"]);
  expect(twin).toEqual({
    kind: "detokenizer",
    options: {
      step: "detokenize",
      skipSpecialTokens: true,
      cleanUp: false,
      padId: 1,
      ids: "INT64",
      ...options,
    },
  });
});

test("the code around the tokenizer is as expected", () => {
  const { config, requirements, twin } = emitTokenizer("byte-bpe", {
    maxLength: 32,
    padding: { multipleOf: 8 },
  });
  expect(config).toEqual(expectedConfig);
  expect(requirements).toEqual(["numpy", "tokenizers==0.23.2"]);
  expect(twin).toEqual({
    kind: "tokenizer",
    options: {
      step: "tokenize",
      maxLength: 32,
      padding: { multipleOf: 8 },
      truncation: true,
      addSpecialTokens: true,
      prefix: "",
      pair: false,
      ids: "INT64",
      tokenTypeIds: false,
      specialTokensMask: false,
      offsets: false,
      pad: { token: "<pad>", id: 1, typeId: 0, side: "left" },
      truncationSide: "left",
    },
  });
});
