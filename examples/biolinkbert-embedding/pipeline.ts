import { bytes, defineEnsemble, meanPool, onnx, tokenizer } from "tritype";
import { encoder as model } from "./models/stand-in.ts";

/** How to pool the vectors of a text's tokens: their mean without padding, or the vector of the token [CLS]. */
const pooling: "mean" | "cls" = process.env["POOLING"] === "cls" ? "cls" : "mean";

const { tokenizer: from, ...file } = model;

const tokenize = tokenizer({
  name: "tokenize",
  from,
  maxLength: 512,
  padding: "longest",
  tokenTypeIds: true,
});

/** On CPUs, batches gain less than they cost (README, "CPUs"); on a GPU, remove `dynamicBatching: null`. */
const encoder = onnx({ name: "encoder", ...file, dynamicBatching: null });

/** Text → one vector per text. */
export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 32,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask, token_type_ids } = tokenize({ text });
    const { last_hidden_state } = encoder({ input_ids, attention_mask, token_type_ids });
    return {
      embedding:
        pooling === "cls" ? last_hidden_state.gather("seq", 0) : meanPool(last_hidden_state, attention_mask),
    };
  },
  warmup: [
    { name: "question", inputs: { text: ["what is the cause of Covid"] }, batchSize: 4 },
    { name: "longest", inputs: { text: ["an abstract that goes on and on ".repeat(100)] } },
  ],
});
