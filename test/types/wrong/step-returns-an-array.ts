// a step that returns an array for a row of one element
import { fp32, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { scores: fp32("batch", 3) },
  outputs: { score: fp32("batch", 1) },
  run: ({ scores }) => ({ score: scores }),
});
