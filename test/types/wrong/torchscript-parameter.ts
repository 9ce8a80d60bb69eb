// a parameter that the PyTorch backend does not read
import { fp32, torchscript } from "tritype";

export const wrong = torchscript({
  name: "wrong",
  file: "models/wrong.pt",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  parameters: { INFERENCE_MODES: true },
});
