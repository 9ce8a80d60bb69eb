import { bytes, defineEnsemble, detokenizer, tokenizer } from "tritype";

const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/pieces",
  maxLength: 32,
  languages: { source: true, target: true },
});
const detokenize = detokenizer({ name: "detokenize", from: "assets/pieces", skipSpecialTokens: false });

export const spell = defineEnsemble({
  name: "spell",
  maxBatchSize: 8,
  inputs: {
    text: bytes("batch", 1),
    source_language: bytes("batch", 1),
    target_language: bytes("batch", 1),
  },
  run({ text, source_language, target_language }) {
    const { input_ids, forced_bos_token_id } = tokenize({ text, source_language, target_language });
    return {
      spelled: detokenize({ ids: input_ids }).text,
      begins: detokenize({ ids: forced_bos_token_id }).text,
    };
  },
});
