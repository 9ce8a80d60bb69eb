// a step that returns a number for INT64
import { bytes, int64, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { language: bytes("batch", 1) },
  outputs: { token: int64("batch", 1) },
  run: ({ language }) => ({ token: language.length }),
});
