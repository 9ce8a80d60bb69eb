import { bytes, defineEnsemble, fp32, int64, onnx, optional, tokenizer } from "tritype";

const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/tokenizer",
  maxLength: 64,
  modelWarmup: [{ name: "one", inputs: { text: ["a text"] } }],
});

const encoder = onnx({
  name: "encoder",
  file: "encoder.onnx",
  inputs: {
    input_ids: int64("batch", "seq"),
    attention_mask: int64("batch", "seq"),
    scale: optional(fp32("batch", 2)),
  },
  outputs: { hidden: fp32("batch", "seq", 8) },
  modelWarmup: [
    { name: "values", inputs: { input_ids: [[101n, 2023, 102]], attention_mask: [[1, 1, 1]] } },
    {
      name: "zeros",
      batchSize: 8,
      count: 3,
      inputs: {
        input_ids: { dims: [16], zeroData: true },
        attention_mask: { dataType: "INT64", dims: [16], randomData: true },
        scale: "zero",
      },
    },
    {
      inputs: {
        input_ids: { dims: [3], inputDataFile: "warmup/ids.bin" },
        attention_mask: { data: new BigInt64Array([1n, 1n]), shape: [1, 2] },
      },
    },
  ],
});

/** Every form allowed by the types. */
export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 64,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    return { hidden: encoder({ input_ids, attention_mask }).hidden };
  },
  warmup: [
    { inputs: { text: ["a short text"] } },
    { name: "typical", inputs: { text: ["a longer text"] }, batchSize: 8, profile: "opt" },
    { name: "rows", inputs: { text: ["one", new Uint8Array([116, 119, 111])] }, count: 2 },
  ],
});
