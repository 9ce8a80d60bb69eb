import type { GraphProto } from "@tritype/onnx";
import { expect, test } from "vitest";
import { sharedScales } from "./shared-scales.ts";

const quantize = { opType: "DynamicQuantizeLinear", input: ["x"], output: ["q"] };
const branch: GraphProto = { node: [quantize], output: [{ name: "q" }] };
const branches = {
  opType: "If",
  input: ["first"],
  output: ["chosen"],
  attribute: [{ name: "then_branch", g: branch }],
};

test("a branch has access to the rows of the enclosing graph", () =>
  expect(sharedScales({ input: [{ name: "x" }], node: [branches] })).toEqual([quantize]));

test("a branch's outputs count as rows", () => {
  const later = { opType: "DynamicQuantizeMatMul", input: ["chosen", "weights"], output: ["y"] };
  expect(sharedScales({ input: [{ name: "x" }], node: [branches, later] })).toEqual([quantize, later]);
});

test("weights alone do not count as rows", () => {
  const initializer = [{ name: "x" }];
  expect(sharedScales({ input: [{ name: "x" }], initializer, node: [quantize] })).toEqual([]);
  expect(
    sharedScales({
      input: [{ name: "z" }],
      node: [{ opType: "DynamicQuantizeMatMul", input: ["a", "z"], output: ["y"] }],
    }),
  ).toEqual([]);
});
