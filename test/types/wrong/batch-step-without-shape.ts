// a batch step that returns elements without their shape
import { batchStep, fp32 } from "tritype";

export const wrong = batchStep({
  name: "wrong",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  run: ({ x }) => ({ y: x.data }),
});
