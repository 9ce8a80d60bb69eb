// a batch step that returns an output that it does not declare
import { batchStep, fp32 } from "tritype";

export const wrong = batchStep({
  name: "wrong",
  inputs: { x: fp32("batch", 1) },
  outputs: { y: fp32("batch", 1) },
  run: ({ x }) => ({ y: x, x }),
});
