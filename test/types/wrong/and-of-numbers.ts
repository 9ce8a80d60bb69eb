// `and` of numbers
import { bool, defineEnsemble, int64 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: int64("batch", 4), b: bool("batch", 4) },
  run({ a, b }) {
    return { x: a.and(b) };
  },
});
