import { expect, test } from "vitest";
import type { GraphNode } from "./graph.ts";
import { verifyGraph } from "./verify-graph.ts";

const type = { dtype: "FP32", dims: ["batch", 4] } as const;
const input: GraphNode = { kind: "input", id: "x", name: "x", inputs: {}, outputs: { x: type }, site: [] };
const add: GraphNode = {
  kind: "operator",
  id: "add",
  operator: "add",
  attributes: {},
  inputs: { 0: { node: "x", output: "x" } },
  outputs: { out: type },
  site: [],
};
const outputs = { y: { node: "add", output: "out" } };

test("a graph in which each node comes before the nodes that use it is valid", () => {
  expect(() => verifyGraph({ nodes: [input, add], outputs }, "test")).not.toThrow();
});

test.each([
  [
    "a node before the producer of its input",
    { nodes: [add, input], outputs },
    "after test: add.0 reads x.x, which does not come before it",
  ],
  ["a duplicate id", { nodes: [input, input, add], outputs }, "after test: two nodes are called x"],
  [
    "an output without a producer",
    { nodes: [input], outputs },
    "after test: output y reads add.out, which does not exist",
  ],
  [
    "a dim below -1",
    { nodes: [{ ...input, outputs: { x: { dtype: "FP32", dims: [-2] } } }], outputs: {} },
    "after test: x.x has dim -2",
  ],
] as const)("%s is reported as a bug in tritype", (_, graph, message) => {
  expect(() => verifyGraph(graph, "test")).toThrow(`${message} (this is a bug in tritype)`);
});
