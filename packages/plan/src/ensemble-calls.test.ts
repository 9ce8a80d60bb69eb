import type { ModelConfig } from "@tritype/triton";
import { describe, expect, test } from "vitest";
import { ensembleCalls, mergedShape, stationOf } from "./ensemble-calls.ts";

const model = (name: string, inputs: readonly string[], outputs: readonly string[]): ModelConfig => ({
  name,
  input: inputs.map((one) => ({ name: one })),
  output: outputs.map((one) => ({ name: one })),
});
type Step = readonly [string, Record<string, string>, Record<string, string>];
const ensemble = (config: ModelConfig, ...steps: readonly Step[]): ModelConfig => ({
  ...config,
  platform: "ensemble",
  ensemble_scheduling: {
    step: steps.map(([model_name, input_map, output_map]) => ({ model_name, input_map, output_map })),
  },
});
const callsOf = (...configs: readonly ModelConfig[]) =>
  ensembleCalls(configs[0]?.name ?? "", new Map(configs.map((one) => [one.name ?? "", one]))).map(
    ({ model: name, after, reads, writes }) =>
      `${name}(${[...reads].map((pair) => pair.join("=")).join()}) → ${[...writes].map((pair) => pair.join("=")).join()} after ${after.join()}`,
  );

describe("the calls of a request", () => {
  test("a model on its own is one call", () => {
    expect(callsOf(model("m", ["x"], ["y"]))).toEqual(["m(x=x) → y=y after "]);
  });

  test("an ensemble's steps are in an order in which they can run", () => {
    expect(
      callsOf(
        ensemble(
          model("e", ["in"], ["out"]),
          ["join", { A: "left", B: "right" }, { C: "out" }],
          ["a", { X: "in" }, { Y: "left" }],
          ["b", { X: "in" }, { Y: "right" }],
        ),
      ),
    ).toEqual([
      "a(X=in) → Y=left after ",
      "b(X=in) → Y=right after ",
      "join(A=left,B=right) → C=out after 0,1",
    ]);
  });

  test("a call has the version that its step requests", () => {
    const step = [2, -1].map((model_version) => ({ model_name: "a", model_version }));
    const configs = new Map([["e", { ensemble_scheduling: { step } }]]);
    expect(ensembleCalls("e", configs).map(({ version }) => version)).toEqual(["2", undefined]);
  });

  test("the tensors of a nested ensemble have their own names", () => {
    const inner = ensemble(
      model("inner", ["x"], ["y"]),
      ["a", { X: "x" }, { Y: "mid" }],
      ["b", { X: "mid" }, { Y: "y" }],
    );
    const outer = ensemble(
      model("outer", ["x"], ["y"]),
      ["inner", { x: "x" }, { y: "mid" }],
      ["inner", { x: "mid" }, { y: "y" }],
    );
    expect(callsOf(outer, inner)).toEqual([
      "a(X=x) → Y=0 inner/mid after ",
      "b(X=0 inner/mid) → Y=mid after 0",
      "a(X=mid) → Y=1 inner/mid after 1",
      "b(X=1 inner/mid) → Y=y after 2",
    ]);
  });
});

describe("a model on a server with 4 processors", () => {
  test.each<[string, ModelConfig, object]>([
    ["Python", { backend: "python" }, { instances: 1, threads: 1, maxBatchSize: 0 }],
    ["ONNX Runtime", { backend: "onnxruntime" }, { threads: 4 }],
    [
      "ONNX Runtime with threads",
      { backend: "onnxruntime", parameters: { intra_op_thread_count: { string_value: "2" } } },
      { threads: 2 },
    ],
    [
      "two GPUs",
      { backend: "onnxruntime", instance_group: [{ kind: "KIND_GPU", count: 2, gpus: [0, 1] }] },
      { instances: 4, threads: 0 },
    ],
    [
      "batches",
      { max_batch_size: 16, dynamic_batching: { max_queue_delay_microseconds: 500 } },
      { maxBatchSize: 16, batching: { maxBatchSize: 16, preferred: [16], delay: 500 } },
    ],
  ])("%s", (_, config, expected) => {
    expect(stationOf("m", config, 4)).toMatchObject(expected);
  });
});

test("requests share a batch if their inputs of variable size have the same shape", () => {
  const config: ModelConfig = {
    input: [
      { name: "ids", dims: [-1] },
      { name: "fixed", dims: [4] },
      { name: "ragged", dims: [-1], allow_ragged_batch: true },
    ],
  };
  const tensor = (...shape: readonly number[]) => ({ dtype: "INT8", shape, data: new Uint8Array() }) as const;
  const tensors = new Map([
    ["ids", tensor(2, 7)],
    ["fixed", tensor(2, 4)],
    ["ragged", tensor(2, 9)],
  ]);
  expect(mergedShape(config, tensors)).toBe("ids 7");
});
