import { bytes, defineEnsemble, detokenizer, generate, step, tokenizer } from "tritype";
import { model } from "./models/number-words.ts";

/** FP32, or dynamic int8: a third of the size, but a row's values depend on the other rows of the batch. */
const weights: "fp32" | "int8" = process.env["WEIGHTS"] === "int8" ? "int8" : "fp32";

/** The model would translate even an empty text into some number, so an empty text is an error here. */
const trim = step({
  name: "trim",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run({ text }) {
    const trimmed = text.trim();
    if (trimmed === "") throw new RangeError("the text is empty");
    return { text: trimmed };
  },
});

const tokenize = tokenizer({
  name: "tokenize",
  from: model.tokenizer,
  maxLength: model.maxLength,
  truncation: false,
  languages: { source: true, target: true },
});

const translateIds = generate({
  name: "translate_ids",
  ...model[weights],
  search: { kind: "greedy" },
  perRequest: ["forced_bos_token_id"],
});

const detokenize = detokenizer({ name: "detokenize", from: model.tokenizer });

/** Text and its language → the text in another language. Languages have the same names as in the tokenizer: `en`, `fr`, `de`, `es`. */
export const translate = defineEnsemble({
  name: "translate",
  maxBatchSize: 32,
  inputs: {
    text: bytes("batch", 1),
    source_language: bytes("batch", 1),
    target_language: bytes("batch", 1),
  },
  run({ text, source_language, target_language }) {
    const ids = tokenize({ ...trim({ text }), source_language, target_language });
    const { sequences } = translateIds(ids);
    return { translation: detokenize({ ids: sequences }).text };
  },
  members: { dynamicBatching: {} },
  warmup: [
    {
      name: "short",
      inputs: { text: ["zero"], source_language: ["en"], target_language: ["de"] },
    },
    {
      name: "long",
      inputs: {
        text: ["four hundred and ninety-nine thousand, seven hundred and ninety-seven"],
        source_language: ["en"],
        target_language: ["fr"],
      },
      batchSize: 8,
    },
  ],
});
