import { bytes, defineEnsemble, detokenizer, tokenizer } from "@tritype/dsl";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "../compile.fixture.ts";

const file = new TextEncoder().encode(
  JSON.stringify({
    version: "1.0",
    added_tokens: [],
    model: { type: "WordLevel", vocab: { "[UNK]": 0, "[PAD]": 1 }, unk_token: "[UNK]" },
    pre_tokenizer: { type: "Whitespace" },
    decoder: { type: "Fuse" },
  }),
);
const pad = new TextEncoder().encode(JSON.stringify({ pad_token: "[PAD]" }));

test("a tokenizer and a detokenizer merge requests by default, and not with `dynamicBatching: null`", () => {
  const configs = (options: { readonly dynamicBatching?: null }): readonly string[] => {
    const tokenize = tokenizer({ ...options, name: "tokenize", from: "t", maxLength: 8, fuse: false });
    const spell = detokenizer({ ...options, name: "spell", from: "t", fuse: false });
    const again = defineEnsemble({
      name: "again",
      maxBatchSize: 4,
      inputs: { text: bytes("batch", 1) },
      run: ({ text }) => ({ same: spell({ ids: tokenize({ text }).input_ids }).text }),
    });
    const compilation = compileInMemory([again], {
      "t/tokenizer.json": file,
      "t/tokenizer_config.json": pad,
    });
    expect(compilation.diagnostics).toEqual([]);
    return ["tokenize", "spell"].map((name) =>
      emittedText(compilation, `model_repository/${name}/config.pbtxt`),
    );
  };
  for (const config of configs({})) expect(config).toContain("dynamic_batching { }");
  for (const config of configs({ dynamicBatching: null })) expect(config).not.toContain("dynamic_batching");
});
