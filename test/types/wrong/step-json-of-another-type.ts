// JSON of another type
import { bytes, json, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  outputs: { spans: json<{ from: number }[]>() },
  run: ({ text }) => ({ spans: [{ from: text }] }),
});
