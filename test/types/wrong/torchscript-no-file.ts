// a TorchScript step without a file
import { fp32, torchscript } from "tritype";

export const wrong = torchscript({
  name: "wrong",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
