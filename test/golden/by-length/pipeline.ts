import { bytes, defineEnsemble, fp32, int64, meanPool, onnx, tokenizer } from "tritype";

const ids = int64("batch", "seq");
const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: ids, attention_mask: ids },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
});

/** Everything after a tokenizer, shared by both sides. */
const vector = defineEnsemble({
  name: "vector",
  maxBatchSize: 16,
  inputs: { input_ids: ids, attention_mask: ids },
  run({ input_ids, attention_mask }) {
    const { last_hidden_state } = encoder({ input_ids, attention_mask });
    return { embedding: meanPool(last_hidden_state, attention_mask) };
  },
});

const warmup = [
  { name: "short", inputs: { text: ["the cat"] } },
  { name: "long", inputs: { text: ["the cat sat on the mat"] } },
];

const query = tokenizer({
  name: "tokenize_query",
  from: "assets/words",
  maxLength: 16,
  prefix: "query: ",
  instanceGroup: [{ kind: "cpu", count: 3 }],
});
/** The model after the tokenizer is itself an ensemble. */
export const embedQuery = defineEnsemble({
  name: "embed_query",
  maxBatchSize: 16,
  batchBy: "length",
  inputs: { question: bytes("batch", 1) },
  run({ question }) {
    return { query: vector(query({ text: question })).embedding };
  },
  warmup: warmup.map(({ name, inputs }) => ({ name, inputs: { question: inputs.text } })),
});

const words = tokenizer({
  name: "tokenize",
  from: "assets/words",
  maxLength: 16,
  padding: { multipleOf: 4 },
  truncation: false,
  addSpecialTokens: false,
  specialTokensMask: true,
});
/** Tensor math after the tokenizer, and an output of one number per row. */
export const score = defineEnsemble({
  name: "score",
  maxBatchSize: 8,
  batchBy: { by: "length", maxWaste: 0.1, tolerance: 1e-4 },
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const tokens = words({ text });
    const first = encoder({ input_ids: tokens.input_ids, attention_mask: tokens.attention_mask });
    const largest = first.last_hidden_state.gather(1, 0).max(-1);
    return { embedding: meanPool(first.last_hidden_state, tokens.attention_mask), largest };
  },
  members: { dynamicBatching: { preferredBatchSize: [4] } },
  warmup,
});

/** A pipeline that batches by length is a step like any other. */
export const distance = defineEnsemble({
  name: "distance",
  maxBatchSize: 8,
  inputs: { left: bytes("batch", 1), right: bytes("batch", 1) },
  run({ left, right }) {
    const difference = score({ text: left }).embedding.sub(score({ text: right }).embedding);
    return { distance: difference.mul(difference).sum(-1, { keepDims: true }).sqrt() };
  },
});
