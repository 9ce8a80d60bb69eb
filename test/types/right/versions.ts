import { bytes, defineEnsemble, fp32, int64, onnx, tokenizer, type VersionedStep } from "tritype";

const generated = {
  file: "models/v3.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
} as const;

/** A module written by `pipeline types` is the entry of a version. */
export const step = onnx({
  name: "step",
  versions: { 1: { file: "models/v1.onnx" }, 3: generated },
  versionPolicy: { specific: { versions: [1, 3] } },
  inputs: generated.inputs,
  outputs: generated.outputs,
});
const numbers: VersionedStep<typeof step.inputs, typeof step.outputs, 1 | 3> = step;

const tokenize = tokenizer({
  name: "tokenize",
  versions: { 1: { from: "assets/v1" }, 2: { from: "assets/v2" } },
  maxLength: 16,
  padding: "maxLength",
});
const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: int64("batch", 16), attention_mask: int64("batch", "seq") },
  outputs: { x: fp32("batch", 4) },
});

export const ensemble = defineEnsemble({
  name: "ensemble",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { x } = encoder.version(7)(tokenize.version(2)({ text }));
    return { y: numbers.version(1)({ x }).y.sub(step.version(3)({ x }).y), latest: step({ x }).y };
  },
});
/** A nested ensemble has versions too. */
export const outer = defineEnsemble({
  name: "outer",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ensemble.version(1)({ text }),
});
