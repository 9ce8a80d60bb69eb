// @ts-nocheck
import { batchStep, defineEnsemble, detokenizer, fp32, int64, step, stream, tokenizer } from "tritype";

const decoupled = { modelTransactionPolicy: { decoupled: true } };
const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/tokenizer",
  maxLength: 8,
  modelTransactionPolicy: { decoupled: true },
});
const words = detokenizer({
  name: "words",
  from: "assets/tokenizer",
  raw: "model_transaction_policy { decoupled: true }",
});
const tensors = { inputs: { x: fp32("batch") }, outputs: { y: fp32("batch") } };
const doubled = step({ name: "doubled", ...tensors, ...decoupled, run: ({ x }) => ({ y: x * 2 }) });
const tripled = batchStep({
  name: "tripled",
  ...tensors,
  modelTransactionPolicy: { decoupled: true },
  run: ({ x }) => ({ y: { data: x.data.map((value) => value * 3), shape: x.shape } }),
});
// Both fields allow the default.
const same = step({
  name: "same",
  ...tensors,
  modelTransactionPolicy: { decoupled: false },
  run: ({ x }) => ({ y: x }),
});

export const texts = defineEnsemble({
  name: "texts",
  maxBatchSize: 1,
  inputs: { ids: int64("batch", "seq") },
  run: ({ ids }) => {
    const { text } = words({ ids });
    return { input_ids: stream(tokenize({ text }).input_ids) };
  },
});
export const numbers = defineEnsemble({
  name: "numbers",
  maxBatchSize: 1,
  inputs: { x: fp32("batch") },
  run: ({ x }) => ({ y: tripled({ x: doubled({ x: same({ x }).y }).y }).y }),
});
