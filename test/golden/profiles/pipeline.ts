import { bytes, defineEnsemble, fp32, int64, l2Normalize, meanPool, onnx, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/words", maxLength: 16 });

/** On GPUs, TensorRT tuned for the lengths of the samples; on CPUs, larger batches with a shorter delay. */
const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
  dynamicBatching: { maxQueueDelay: "2ms" },
  profiles: {
    gpu: {
      instanceGroup: [{ kind: "gpu" }],
      optimization: {
        executionAccelerators: {
          gpuExecutionAccelerator: [
            {
              name: "tensorrt",
              parameters: {
                precision_mode: "FP16",
                trt_layer_norm_fp32_fallback: true,
                max_workspace_size_bytes: 4 * 2 ** 30,
                trt_engine_cache_enable: true,
                trt_engine_cache_path: "/var/cache/tensorrt",
              },
            },
          ],
        },
      },
    },
    cpu: { parameters: { intra_op_thread_count: 1 }, dynamicBatching: null },
  },
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const tokens = tokenize({ text });
    const { last_hidden_state } = encoder(tokens);
    return { embedding: l2Normalize(meanPool(last_hidden_state, tokens.attention_mask)) };
  },
  members: { profiles: { gpu: { dynamicBatching: { preferredBatchSize: [4, 8] } } } },
  profiles: { gpu: { responseCache: { enable: true } } },
  warmup: [
    { name: "short", inputs: { text: ["the cat"] } },
    { name: "typical", inputs: { text: ["the cat sat on the mat", "the mat"] }, profile: "opt" },
    { name: "long", inputs: { text: ["the cat sat on the mat ".repeat(8)] } },
  ],
});
