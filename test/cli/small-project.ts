import { onTestFinished } from "vitest";
import { doubleModel } from "../fixtures/models.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";

/** One ONNX model followed by tensor math in a model of its own: FP32[batch, 4] → `sum` FP32[batch]. */
export const pipelineSource = `import { defineEnsemble, fp32, onnx } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) }, fuse: false,
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    const { y } = double({ x });
    return { sum: y.sum(-1, { keepDims: true }) };
  },
});
`;

/**
 * A pipeline in which every request waits up to 60 ms for a batch that never fills: long enough to be noticed in short measurements, and
 * without processor time.
 */
export const slowSource = pipelineSource
  .replace(
    'file: "models/double.onnx",',
    'file: "models/double.onnx",\n  dynamicBatching: { maxQueueDelay: "60ms" },',
  )
  .replace("maxBatchSize: 8,", "maxBatchSize: 32,\n  warmup: [{ inputs: { x: [[1, 2, 3, 4]] } }],");

/** A text ensemble with the example's tokenizer: `text` → `input_ids`. */
export const tokenizerSource = `import { bytes, defineEnsemble, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 16 });

export const ids = defineEnsemble({
  name: "ids",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids } = tokenize({ text });
    return { input_ids };
  },
});
`;

/** Creates a project for the test, and removes it when the test ends. */
export const project = (files: Readonly<Record<string, string | Uint8Array>> = {}): ProjectFixture => {
  const made = makeProject({
    "pipeline.ts": pipelineSource,
    "models/double.onnx": doubleModel(),
    ...files,
  });
  onTestFinished(made.remove);
  return made;
};

/** The ensemble `mix` with inputs of three dtypes, and the ensembles `total` and `ids` of the other sources. */
export const mixedSource = `${pipelineSource}
import { bool, bytes, int64, tokenizer, where } from "tritype";
${tokenizerSource.slice(tokenizerSource.indexOf("\n"))}
export const mix = defineEnsemble({
  name: "mix",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), flag: bool("batch", 1), n: int64("batch", 2) },
  run: ({ x, flag, n }) => ({ y: where(flag, x, 0), m: n.add(1) }),
});
`;
