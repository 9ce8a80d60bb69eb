// `and` with numbers
import { bool, defineEnsemble, int64 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: bool("batch", 4), b: int64("batch", 4) },
  run({ a, b }) {
    return { x: a.and(b) };
  },
});
