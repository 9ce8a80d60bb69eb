// dtypes are never promoted
import { bytes, defineEnsemble } from "tritype";
import { encoder, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { hidden } = encoder({ input_ids, attention_mask });
    return { x: hidden.mul(attention_mask.unsqueeze(-1)) };
  },
});
