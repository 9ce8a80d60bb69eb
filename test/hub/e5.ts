import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { encoderModel } from "../fixtures/models.ts";
import type { ServedRepository } from "./hub-server.ts";

const tokenizer = readFileSync(
  fileURLToPath(
    new URL("../../examples/sentence-embedding/assets/tokenizer/tokenizer.json", import.meta.url),
  ),
);

/**
 * A repository with the layout of multilingual-e5: several ONNX files, with the tokenizer and the configuration next to
 * them.
 */
export const e5Repository: ServedRepository = {
  task: "sentence-similarity",
  files: {
    "README.md": "# e5",
    "config.json": JSON.stringify({
      model_type: "xlm-roberta",
      max_position_embeddings: 514,
      pad_token_id: 1,
    }),
    "onnx/config.json": JSON.stringify({
      model_type: "xlm-roberta",
      max_position_embeddings: 514,
      pad_token_id: 1,
    }),
    "onnx/model.onnx": encoderModel(),
    "onnx/model_O4.onnx": encoderModel({ size: 4 }),
    "onnx/model_qint8_avx512.onnx": encoderModel({ size: 6 }),
    "onnx/tokenizer.json": tokenizer,
    "onnx/tokenizer_config.json": JSON.stringify({ model_max_length: 512 }),
    "sentence_bert_config.json": JSON.stringify({ max_seq_length: 512 }),
    "tokenizer.json": "{}",
  },
};
