// @ts-nocheck
import { bytes, defineEnsemble, flow, fp32, int64, meanPool, onnx, tokenizer } from "tritype";

const x = fp32("batch", 4);
const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x },
  outputs: { y: x },
  sequenceBatching: {},
});
const raw = onnx({
  name: "raw",
  file: "models/double.onnx",
  inputs: { x },
  outputs: { y: x },
  raw: "sequence_batching { }",
});
const all = { maxBatchSize: 8, inputs: { x } };

const inner = defineEnsemble({ ...all, name: "inner", run: ({ x }) => double({ x }) });

export const cached = defineEnsemble({
  ...all,
  name: "cached",
  run: ({ x }) => ({ z: inner({ x: x.mul(2) }).y }),
  responseCache: { enable: true },
});

export const notCached = defineEnsemble({
  ...all,
  name: "not_cached",
  run: ({ x }) => inner({ x }),
  responseCache: { enable: false },
});

export const warm = defineEnsemble({
  ...all,
  name: "warm",
  run: ({ x }) => raw({ x }),
  warmup: [{ inputs: { x: [[1, 2, 3, 4]] } }],
});

const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 32 });
const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
  sequenceBatching: {},
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  batchBy: "length",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { last_hidden_state } = encoder({ input_ids, attention_mask });
    return { embedding: meanPool(last_hidden_state, attention_mask) };
  },
  warmup: [{ inputs: { text: ["a text"] } }],
});

export const askInner = flow({
  name: "ask_inner",
  maxBatchSize: 8,
  inputs: { x },
  outputs: { y: x },
  uses: { first: inner, raw },
  run: async ({ x }, { first, raw }) => raw({ x: (await first({ x })).y }),
});
