// Wrong dtype and wrong size into a step
import { bytes, defineEnsemble, int64, onnx } from "tritype";
import { encoder, tokenize } from "../steps.ts";

const ids = onnx({
  name: "ids",
  file: "model.onnx",
  inputs: { x: int64("batch", 768) },
  outputs: { y: int64("batch", 768) },
});

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { hidden } = encoder(tokenize({ text }));
    return ids({ x: hidden.mean("seq") });
  },
});
