import type { ModelConfig } from "@tritype/triton";
import { describe, expect, test } from "vitest";
import type { CheckOptions } from "../check-options.ts";
import { completeByBackend } from "../completion/complete-by-backend.ts";
import { type CaseGraph, graphFile, onnxModel } from "./onnx-model.fixture.ts";

const complete = (
  config: string,
  graph: CaseGraph,
  options: Partial<CheckOptions> = {},
): ModelConfig | "refused" => {
  const completed = completeByBackend(onnxModel(config, { "1/model.onnx": graphFile(graph) }, options));
  return "refused" in completed ? "refused" : completed.config;
};
const batched = { inputs: { A: "FP32[N, 4]" }, outputs: { B: "INT64[N]" } };

describe("onnxruntime", () => {
  test("fills in tensors, batch size and scheduler", () => {
    expect(complete("", batched)).toMatchObject({
      max_batch_size: 4,
      input: [{ name: "A", data_type: "TYPE_FP32", dims: [4] }],
      output: [{ name: "B", data_type: "TYPE_INT64", dims: [1], reshape: {} }],
      dynamic_batching: { preferred_batch_size: [4] },
    });
  });

  test("keeps the given inputs or outputs, and fills in all of the others", () => {
    const config = complete('max_batch_size: 2 output { name: "B" } sequence_batching {}', batched);
    expect(config).toMatchObject({ max_batch_size: 2, input: [{ name: "A" }], output: [{ name: "B" }] });
    expect(config).not.toHaveProperty("dynamic_batching");
  });

  test("batch inputs count as inputs", () => {
    expect(complete('batch_input { target_name: "A" }', batched)).not.toHaveProperty("input");
  });

  test("a graph without batches keeps its dims; scalars and unknown ranks become [1]", () => {
    const config = complete("", { inputs: { A: "FP32[2, M]" }, outputs: { B: "BYTES", C: "BOOL[]" } });
    expect(config).toMatchObject({
      input: [{ name: "A", data_type: "TYPE_FP32", dims: [2, -1] }],
      output: [
        { name: "B", data_type: "TYPE_STRING", dims: [1] },
        { name: "C", data_type: "TYPE_BOOL", dims: [1] },
      ],
    });
    expect(config).not.toHaveProperty("max_batch_size");
    expect(config).not.toHaveProperty("dynamic_batching");
  });

  test("a batch size of 1 needs no scheduler", () => {
    expect(complete("max_batch_size: 1", batched)).not.toHaveProperty("dynamic_batching");
    expect(complete("", batched, { defaultMaxBatchSize: 1 })).toMatchObject({ max_batch_size: 1 });
  });

  test("fails for a batch size that the graph does not support, and for a broken file", () => {
    expect(complete("max_batch_size: 2", { inputs: { A: "FP32[1]" } })).toBe("refused");
    const broken = onnxModel("", { "1/model.onnx": new Uint8Array() });
    expect(completeByBackend(broken)).toEqual({ refused: true });
  });

  test.each([
    ["strict", { strict: true }],
    ["configs only", { configsOnly: true }],
  ])("adds nothing with option %s", (_, options) => {
    expect(complete('backend: "onnxruntime"', batched, options)).not.toHaveProperty("input");
  });

  test("completes from the latest served version", () => {
    const files = {
      "1/model.onnx": graphFile({ inputs: { old: "FP32[1]" } }),
      "10/model.onnx": graphFile({ inputs: { new: "FP32[1]" } }),
      "9/model.onnx": graphFile({ inputs: { middle: "FP32[1]" } }),
    };
    const latest = (policy: string) => {
      const completed = completeByBackend(onnxModel(policy, files));
      return "config" in completed ? completed.config.input?.[0]?.name : "refused";
    };
    expect(latest("")).toBe("new");
    expect(latest("version_policy { specific { versions: [ 1, 9 ] } }")).toBe("middle");
  });
});

test("large files are read in part", () => {
  const weights = { name: "w", dataType: 2, dims: [2_000_000], rawData: new Uint8Array(2_000_000) };
  const whole = graphFile({ ...batched, graph: { initializer: [weights] } });
  const model = onnxModel("", { "1/model.onnx": whole });
  const read = () => expect.fail("reads the whole file");
  expect(completeByBackend({ ...model, read })).toMatchObject({ config: { max_batch_size: 4 } });
});

test("leaves the configuration of other backends unchanged", () => {
  const model = onnxModel('backend: "python"', { "1/model.py": new Uint8Array() });
  expect(completeByBackend(model)).toEqual({ config: model.config });
});
