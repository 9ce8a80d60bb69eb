import { custom, defineEnsemble, fp32, int64, openvino, tensorrt, torchscript } from "tritype";

/** Two versions with Triton's numbered names; the ONNX file runs where LibTorch is missing. */
const double = torchscript({
  name: "double",
  versions: { 1: { file: "models/double.pt" }, 2: { file: "models/double.pt" } },
  standIn: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  parameters: { INFERENCE_MODE: true, INTRA_OP_THREAD_COUNT: 2 },
  instanceGroup: [{ kind: "gpu", count: 2 }],
  modelWarmup: [{ name: "ones", inputs: { x: [[1, 1, 1, 1]] } }],
  profiles: { cpu: { useStandIn: true } },
});

/** The names of `forward`'s arguments. */
const again = torchscript({
  name: "again",
  file: "models/double.pt",
  naming: "forward",
  standIn: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  profiles: { cpu: { useStandIn: true } },
});

/** A plan that is built on the machine that runs it. */
const encoder = tensorrt({
  name: "encoder",
  build: {
    onnx: "models/encoder.onnx",
    precision: "fp16",
    sizes: { seq: { min: 1, opt: 64, max: 256 } },
    workspace: 4096,
  },
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
  profiles: { cpu: { useStandIn: true } },
});

const halve = openvino({
  name: "halve",
  file: "models/halve.xml",
  standIn: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  parameters: { NUM_STREAMS: "AUTO", PERFORMANCE_HINT: "THROUGHPUT" },
  profiles: { cpu: { useStandIn: true } },
});

/** Any other backend. */
const forest = custom({
  name: "forest",
  backend: "fil",
  file: "assets/forest.json",
  files: { "notes.txt": "assets/forest.json" },
  standIn: "models/forest.onnx",
  inputs: { input__0: fp32("batch", 4) },
  outputs: { output__0: fp32("batch", 4) },
  parameters: { model_type: "xgboost_json", output_class: false },
  profiles: { cpu: { useStandIn: true } },
});

export const numbers = defineEnsemble({
  name: "numbers",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    const twice = double({ x }).y;
    return { eight: again({ x: twice }).y.mul(2), other: forest({ input__0: halve({ x }).y }).output__0 };
  },
  warmup: [{ name: "two", inputs: { x: [[2, 2, 2, 2]] } }],
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 16,
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  run: (tokens) => ({ embedding: encoder(tokens).last_hidden_state.mean("seq") }),
});
