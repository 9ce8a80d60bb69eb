// a Python step without a file or folder
import { fp32, python } from "tritype";

export const wrong = python({
  name: "wrong",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
