// a 64-bit input combined with a number
import { int64, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { id: int64("batch", 1) },
  outputs: { id: int64("batch", 1) },
  run: ({ id }) => ({ id: BigInt(Math.max(id, 1)) }),
});
