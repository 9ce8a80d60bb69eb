import type { Call, ModelView, TensorView } from "../api.ts";

export const tensor = (name: string, ...dims: readonly (number | string)[]): TensorView => ({
  name,
  dtype: "FP32",
  dims,
});

export const model = (name: string, more: Partial<ModelView> = {}): ModelView => ({
  name,
  kind: "onnx",
  state: "READY",
  versions: ["1"],
  maxBatchSize: 0,
  instances: [],
  streams: false,
  sequences: false,
  inputs: [tensor("X", -1)],
  outputs: [tensor("Y", -1)],
  calls: [],
  entry: true,
  fused: [],
  findings: [],
  fields: {},
  ...more,
});

export const named = (...all: readonly ModelView[]): ReadonlyMap<string, ModelView> =>
  new Map(all.map((one) => [one.name, one]));

export const call = (id: number, parent: number, model: string, start: number, end: number): Call => ({
  id,
  parent,
  model,
  version: "1",
  start,
  end,
  executions: [],
  inputs: [],
  responses: [],
  responseTimes: [],
  left: 0,
  failed: false,
});
