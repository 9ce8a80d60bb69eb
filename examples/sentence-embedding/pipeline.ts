import { bytes, defineEnsemble, l2Normalize, meanPool, onnx, tokenizer } from "tritype";
import { encoder as minilm } from "./models/minilm.ts";
import { encoder as distilled } from "./models/static.ts";
import { tensorrt } from "./tensorrt.ts";

/** `ENCODER=minilm` uses the full all-MiniLM-L6-v2 (see README); the default is a small model distilled from it. */
const model = process.env["ENCODER"] === "minilm" ? minilm : distilled;

const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/tokenizer",
  maxLength: 256,
  padding: { multipleOf: 16 },
  tokenTypeIds: true,
});

export const encoder = onnx({ name: "encoder", ...model, profiles: { gpu: tensorrt } });

/** Text → one vector of length 1 per text. The closer two texts are in meaning, the larger the dot product of their vectors. */
export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask, token_type_ids } = tokenize({ text });
    const { last_hidden_state } = encoder({ input_ids, attention_mask, token_type_ids });
    return { embedding: l2Normalize(meanPool(last_hidden_state, attention_mask)) };
  },
  warmup: [
    { name: "short", inputs: { text: ["a short text"] } },
    { name: "typical", inputs: { text: ["what people write into a search"] }, batchSize: 8, profile: "opt" },
    { name: "long", inputs: { text: ["a text that goes on and on ".repeat(50)] }, batchSize: 16 },
  ],
});
