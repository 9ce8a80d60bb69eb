// a step of a model.py that does not say which
import { fp32, python } from "tritype";

export const wrong = python({
  name: "wrong",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
