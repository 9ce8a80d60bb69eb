// @ts-nocheck
import { defineEnsemble, generate, int64 } from "tritype";

const ids = int64("batch", "seq");
const from = "models/bart";
const streaming = generate({
  name: "streaming",
  from,
  maxNewTokens: 20,
  stream: true,
  modelTransactionPolicy: { decoupled: false },
});
const single = generate({
  name: "single",
  from,
  maxNewTokens: 20,
  modelTransactionPolicy: { decoupled: true },
});
const same = generate({
  name: "same",
  from,
  maxNewTokens: 20,
  stream: true,
  modelTransactionPolicy: { decoupled: true },
});

const translate = (name, loop) =>
  defineEnsemble({ name, maxBatchSize: 1, inputs: { input_ids: ids, attention_mask: ids }, run: loop });
export const a = translate("a", streaming);
export const b = translate("b", single);
export const c = translate("c", same);
const inRaw = generate({
  name: "in_raw",
  from,
  maxNewTokens: 20,
  stream: true,
  raw: "model_transaction_policy { decoupled: false }",
});
export const d = translate("d", inRaw);
