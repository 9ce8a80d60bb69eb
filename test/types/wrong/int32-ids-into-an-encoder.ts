// int32 ids into an encoder of int64
import { bytes, defineEnsemble, int32, int64, tokenizer } from "tritype";
import { encoder } from "../steps.ts";

const tokenizeShort = tokenizer({ name: "tokenize", from: "assets", maxLength: 512, ids: int32 });

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenizeShort({ text });
    return encoder({ input_ids, attention_mask: attention_mask.cast(int64) });
  },
});
