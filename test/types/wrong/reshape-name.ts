// Reshape to a name that does not exist
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", "seq", 4) },
  run({ a }) {
    return { x: a.reshape("batch", "len", 4) };
  },
});
