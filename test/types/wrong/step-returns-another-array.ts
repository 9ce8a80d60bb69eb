// a step that returns an array of another dtype
import { int64, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { ids: int64("batch", "seq") },
  outputs: { mask: int64("batch", "seq") },
  run: ({ ids }) => ({ mask: new Int32Array(ids.length) }),
});
