// a value that OpenVINO's parameter does not have
import { fp32, openvino } from "tritype";

export const wrong = openvino({
  name: "wrong",
  file: "models/wrong.xml",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  parameters: { ENABLE_BATCH_PADDING: true },
});
