// Lookup with floats
import { defineEnsemble, fp32, lookup } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { logits: fp32("batch", 3) },
  run({ logits }) {
    return { label: lookup(logits, ["negative", "neutral", "positive"]) };
  },
});
