import { bytes, custom, defineEnsemble, fp32, int64, openvino, python, tensorrt, torchscript } from "tritype";

const ids = { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") };

const encoder = tensorrt({
  name: "encoder",
  build: { onnx: "m.onnx", precision: "bf16", sizes: { seq: { min: 1, opt: 64, max: 512 } } },
  inputs: ids,
  outputs: { hidden: fp32("batch", "seq", 8) },
  parameters: { execution_context_allocation_strategy: "STATIC" },
  profiles: { cpu: { useStandIn: true, instanceGroup: [{ kind: "cpu", count: 2 }] } },
});
const classify = torchscript({
  name: "classify",
  versions: { 1: { file: "v1.pt" }, 2: { file: "v2.pt", standIn: "v2.onnx" } },
  naming: "forward",
  inputs: { hidden: fp32("batch", "seq", 8) },
  outputs: { logits: fp32("batch", 2) },
  parameters: { INFERENCE_MODE: false, INTER_OP_THREAD_COUNT: 1 },
  versionPolicy: { all: {} },
});
const scale = openvino({
  name: "scale",
  file: "m.xml",
  inputs: { logits: fp32("batch", 2) },
  outputs: { logits: fp32("batch", 2) },
  parameters: { NUM_STREAMS: 4, ENABLE_BATCH_PADDING: "YES" },
});
const forest = custom({
  name: "forest",
  backend: "fil",
  inputs: { logits: fp32("batch", 2) },
  outputs: { trees: fp32("batch", 2) },
  parameters: { model_type: "xgboost_json", threads: 2, any: true },
});
const label = python({
  name: "label",
  folder: "steps/label",
  files: { "labels.json": "assets/labels.json" },
  inputs: { scores: fp32("batch", 2) },
  outputs: { label: bytes("batch", 1) },
  requirements: ["scipy==1.13.1"],
  parameters: { FORCE_CPU_ONLY_INPUT_TENSORS: "yes", top: 3 },
});

export const sentiment = defineEnsemble({
  name: "sentiment",
  maxBatchSize: 8,
  inputs: ids,
  run(tokens) {
    const { hidden } = encoder(tokens);
    const { logits } = scale({ logits: classify.version(2)({ hidden }).logits });
    return { label: label({ scores: forest({ logits }).trees }).label };
  },
});
