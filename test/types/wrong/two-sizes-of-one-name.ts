// One name for two sizes
import { defineEnsemble, int64 } from "tritype";
import { encoder } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: int64("batch", "tokens"), b: int64("batch", 128) },
  run({ a, b }) {
    return encoder({ input_ids: a, attention_mask: b });
  },
});
