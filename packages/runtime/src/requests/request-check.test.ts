import { tensorOf, type TensorData } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { describe, expect, test } from "vitest";
import { createRequestCheck } from "./request-check.ts";

const x = tensorOf("FP32", [2], [1, 2]);
const request = (inputs: Readonly<Record<string, TensorData>>, outputs?: readonly string[]) => ({
  model: "m",
  id: "",
  inputs: new Map(Object.entries(inputs)),
  ...(outputs === undefined ? {} : { outputs }),
});
const input = (name: string, optional: boolean) =>
  ({ name, data_type: "TYPE_FP32", dims: [2], optional }) as const;

describe("optional inputs", () => {
  const config: ModelConfig = { name: "m", input: [input("A", false), input("B", true)], output: [] };
  const check = createRequestCheck(config);
  test("optional inputs may be omitted", () => {
    expect([...check(request({ A: x })).inputs.keys()]).toEqual(["A"]);
  });
  test("optional inputs change the text of the error", () => {
    expect(() => check(request({}))).toThrow(
      "[request id: <id_unknown>] expected number of inputs between 1 and 2 but got 0 inputs for model 'm'. Got input(s) [], but missing required input(s) ['A']. Please provide all required input(s).",
    );
  });
  test("optional inputs can take the place of required ones, because only the count is checked, as in Triton", () => {
    expect([...check(request({ B: x })).inputs.keys()]).toEqual(["B"]);
  });
});

test("inputs and outputs are in the order of the configuration, once each", () => {
  const output = (name: string) => ({ name, data_type: "TYPE_FP32", dims: [2] }) as const;
  const config: ModelConfig = {
    name: "m",
    input: [input("B", false), input("A", false)],
    output: [output("P"), output("Q")],
  };
  const checked = createRequestCheck(config)(request({ A: x, B: x }, ["Q", "P", "Q"]));
  expect([...checked.inputs.keys()]).toEqual(["B", "A"]);
  expect(checked.outputs).toEqual(["P", "Q"]);
});

test("reshape keeps the sizes of the variable dims", () => {
  const config: ModelConfig = {
    name: "m",
    max_batch_size: 4,
    input: [{ name: "A", data_type: "TYPE_FP32", dims: [2, -1, 6], reshape: { shape: [-1, 1, 12] } }],
    output: [],
  };
  const A = tensorOf("FP32", [3, 2, 5, 6], Array<number>(180).fill(0));
  expect(createRequestCheck(config)(request({ A })).inputs.get("A")?.shape).toEqual([3, 5, 1, 12]);
});
