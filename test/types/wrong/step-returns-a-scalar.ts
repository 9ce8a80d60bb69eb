// a step that returns a scalar for a row of several elements
import { fp32, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { scores: fp32("batch", "n") },
  outputs: { scores: fp32("batch", "n") },
  run: ({ scores }) => ({ scores: scores.length }),
});
