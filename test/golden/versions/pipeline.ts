import { bytes, defineEnsemble, fp32, onnx, tokenizer } from "tritype";

/** Both versions are served, so that each can be called. */
const scale = onnx({
  name: "scale",
  versions: { 1: { file: "models/scale-2.onnx" }, 2: { file: "models/scale-3.onnx" } },
  versionPolicy: { specific: { versions: [1, 2] } },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

/** No policy: only version 2 is served. */
const tokenize = tokenizer({
  name: "tokenize",
  versions: { 1: { from: "assets/words" }, 2: { from: "assets/letters" } },
  maxLength: 16,
});

/** Two versions of one model in one ensemble, and the latest. */
export const drift = defineEnsemble({
  name: "drift",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    const old = scale.version(1)({ x }).y;
    return { change: scale.version(2)({ x }).y.sub(old), latest: scale({ x }).y };
  },
});

/** The same step at one version, with a larger batch: the model takes the larger of the two. */
export const stable = defineEnsemble({
  name: "stable",
  maxBatchSize: 16,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: scale.version(1)({ x }).y }),
});

/** Version 2 by number, and the latest version: the same. */
export const ids = defineEnsemble({
  name: "ids",
  maxBatchSize: 4,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    return { input_ids: input_ids.mul(attention_mask), pinned: tokenize.version(2)({ text }).input_ids };
  },
});
