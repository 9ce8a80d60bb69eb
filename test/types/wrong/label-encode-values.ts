// Labels with a dtype other than the stated one
import { bytes, defineEnsemble, int64 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    return { x: text.labelEncode(int64, { keys: ["no", "yes"], values: [0, "1"], otherwise: 2 }) };
  },
});
