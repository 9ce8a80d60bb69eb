// @ts-nocheck
import { defineEnsemble, fp32, onnx, python, stream } from "tritype";

const x = fp32("batch", 4);
const ports = { file: "steps/send.py", inputs: { x }, outputs: { y: x } };
const ticks = python({ name: "ticks", ...ports, modelTransactionPolicy: { decoupled: true } });
const double = onnx({ name: "double", file: "models/double.onnx", inputs: { x }, outputs: { y: x } });
const pair = python({
  name: "pair",
  file: "steps/send.py",
  inputs: { a: x, b: x },
  outputs: { y: x },
});
const all = { maxBatchSize: 8, inputs: { x } };

export const outputs = defineEnsemble({
  ...all,
  name: "outputs",
  run: ({ x }) => ({ y: ticks({ x }).y, z: x.add(1) }),
});

export const math = defineEnsemble({
  ...all,
  name: "math",
  run: ({ x }) => ({ y: stream(ticks({ x }).y.add(x)) }),
});

export const call = defineEnsemble({
  name: "call",
  maxBatchSize: 8,
  inputs: { x },
  run({ x }) {
    const one = double({ x: ticks({ x }).y }).y;
    return { y: stream(pair({ a: one, b: double({ x }).y }).y) };
  },
});

const inner = defineEnsemble({ ...all, name: "inner", run: ({ x }) => ({ y: ticks({ x }).y }) });

export const two = defineEnsemble({
  ...all,
  name: "two",
  run({ x }) {
    const one = inner({ x }).y.mul(2);
    const other = inner({ x }).y.mul(3);
    const joined = one.add(other);
    return { joined, again: joined.add(x) };
  },
});

export const several = defineEnsemble({
  ...all,
  name: "several",
  run: ({ x }) => ({ a: double({ x }).y, b: ticks({ x }).y, c: ticks({ x }).y }),
});

export const chained = defineEnsemble({
  ...all,
  name: "chained",
  run({ x }) {
    const { y } = ticks({ x });
    return { y, again: ticks({ x: double({ x: y }).y.add(y).mul(2) }).y };
  },
});

const rawTicks = python({ name: "raw", ...ports, raw: "model_transaction_policy { decoupled: true }" });
export const raw = defineEnsemble({
  ...all,
  name: "of_raw",
  run: ({ x }) => ({ y: rawTicks({ x }).y, z: x.add(1) }),
});
