import { bytes, defineEnsemble, fp32, int64, l2Normalize, meanPool, onnx, tokenizer } from "tritype";

const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/words",
  maxLength: 64,
  prefix: "query: ",
  padding: { multipleOf: 8 },
});

const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: int64("batch", "tokens"), attention_mask: int64("batch", "tokens") },
  outputs: { last_hidden_state: fp32("batch", "tokens", 8) },
  instanceGroup: [{ kind: "gpu", count: 2, gpus: [0] }],
  dynamicBatching: { preferredBatchSize: [8, 16], maxQueueDelay: "2ms" },
  optimization: {
    executionAccelerators: {
      gpuExecutionAccelerator: [
        {
          name: "tensorrt",
          parameters: {
            precision_mode: "FP16",
            trt_layer_norm_fp32_fallback: true,
            max_workspace_size_bytes: 4294967296,
          },
        },
      ],
    },
  },
  versionPolicy: { latest: { numVersions: 1 } },
  parameters: { intra_op_thread_count: 2 },
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { last_hidden_state } = encoder({ input_ids, attention_mask });
    return { embedding: l2Normalize(meanPool(last_hidden_state, attention_mask)) };
  },
  warmup: [
    { name: "short", inputs: { text: ["hello world"] } },
    { name: "typical", inputs: { text: ["the quick brown fox", "hello"] }, count: 2, profile: "opt" },
    { name: "long", inputs: { text: ["hello world ".repeat(40)] }, batchSize: 16 },
  ],
});
