import { expect, test } from "vitest";
import type { ModelView } from "../api.ts";
import { buildGraph } from "./build-graph.ts";
import { model, named, tensor } from "./view.fixture.ts";

/** The edges as lines of text. */
const drawn = (root: ModelView, models: ReadonlyMap<string, ModelView>, ...opened: readonly string[]) => {
  const { nodes, edges, groups } = buildGraph(root, models, new Set(opened));
  return {
    nodes: nodes.map(({ id }) => id),
    edges: edges.map(({ from, to, kind, lines }) => `${from} ─ ${to} (${kind}): ${lines.join("; ")}`),
    groups: groups.map(({ id }) => id),
  };
};

const inner = model("inner", { steps: [{ model: "a", inputs: { X: "X" }, outputs: { Y: "Y" } }] });
const outer = model("outer", {
  inputs: [tensor("in", "batch")],
  outputs: [tensor("out", "batch")],
  steps: [
    { model: "a", inputs: { X: "mid" }, outputs: { Y: "out" } },
    { model: "inner", inputs: { X: "in" }, outputs: { Y: "mid" } },
  ],
});
const all = named(outer, inner, model("a"));

test("steps may be in any order, and an edge has the type that says more about the sizes", () => {
  expect(drawn(outer, all)).toEqual({
    nodes: ["input in", "1:inner", "0:a", "output out"],
    edges: [
      "input in ─ 1:inner (tensor): in → X FP32[batch]",
      "1:inner ─ 0:a (tensor): Y → X FP32[-1]",
      "0:a ─ output out (tensor): Y → out FP32[batch]",
    ],
    groups: [],
  });
});

test("an opened ensemble is shown as a group of its steps", () => {
  expect(drawn(outer, all, "1:inner")).toMatchObject({
    nodes: ["input in", "1:inner/0:a", "0:a", "output out"],
    groups: ["1:inner"],
  });
});

test("calls by code are edges, and a cycle of calls is shown once", () => {
  const a = model("a", { calls: ["b"] });
  const b = model("b", { calls: ["a"] });
  expect(drawn(a, named(a, b)).edges).toEqual([
    "a/calls b ─ a/calls b/calls a (call): sends X FP32[-1]; gets Y FP32[-1]",
    "a ─ a/calls b (call): sends X FP32[-1]; gets Y FP32[-1]",
    "input X ─ a (tensor): X FP32[-1]",
    "a ─ output Y (tensor): Y FP32[-1]",
  ]);
});

test("a called model may be named like a member that every object has", () => {
  const flow = model("flow", { calls: ["constructor"], requests: {} });
  const called = model("constructor");
  expect(drawn(flow, named(flow, called)).edges[0]).toBe(
    "flow ─ flow/calls constructor (call): sends X FP32[-1]; gets Y FP32[-1]",
  );
});

test("the edge of a call lists what goes to the model and what comes back, as far as its contract is known", () => {
  const flow = model("flow", { calls: ["read", "gone"] });
  const read = model("read", {
    inputs: [
      { name: "crop", dtype: "BYTES", dims: ["batch", 1] },
      { name: "language", dtype: "BYTES", dims: [1], optional: true },
    ],
    outputs: [{ name: "text", dtype: "BYTES", dims: ["batch", 1] }],
  });
  const asks = model("asks", { calls: ["two"], requests: { two: ["B"] } });
  const two = model("two", { outputs: [tensor("A", 1), tensor("B", 2)] });
  expect(drawn(asks, named(asks, two)).edges[0]).toBe(
    "asks ─ asks/calls two (call): sends X FP32[-1]; gets B FP32[2]",
  );
  const { edges } = buildGraph(flow, named(flow, read), new Set());
  expect(edges.filter(({ kind }) => kind === "call").map(({ to, lines }) => [to, ...lines])).toEqual([
    [
      "flow/calls read",
      "sends crop BYTES[batch, 1]",
      "may send language BYTES[1]",
      "gets text BYTES[batch, 1]",
    ],
    ["flow/calls gone", "calls"],
  ]);
});

test("a cycle of steps, a missing model and a missing tensor are drawn as far as possible", () => {
  const cyclic = model("cyclic", {
    steps: [
      { model: "a", inputs: { X: "q" }, outputs: { Y: "p" } },
      { model: "gone", inputs: { X: "p", Z: "nowhere" }, outputs: { Y: "q" } },
    ],
  });
  expect(drawn(cyclic, named(cyclic, model("a"))).nodes).toEqual(["input X", "1:gone", "0:a", "output Y"]);
});

test("an ensemble that contains itself is expanded only as far as it was opened", () => {
  const self = model("self", { steps: [{ model: "self", inputs: { X: "X" }, outputs: { Y: "Y" } }] });
  expect(drawn(self, named(self), "0:self").nodes).toEqual(["input X", "0:self/0:self", "output Y"]);
});

test("steps with the same model have numbers", () => {
  const root = model("twice", {
    steps: [
      { model: "a", inputs: { X: "X" }, outputs: { Y: "mid" } },
      { model: "b", inputs: { X: "mid" }, outputs: { Y: "more" } },
      { model: "a", inputs: { X: "more" }, outputs: { Y: "Y" } },
    ],
  });
  const { nodes } = buildGraph(root, named(root, model("a"), model("b")), new Set());
  expect(nodes.map(({ id, number }) => [id, number])).toEqual([
    ["input X", undefined],
    ["0:a", 1],
    ["1:b", undefined],
    ["2:a", 3],
    ["output Y", undefined],
  ]);
});
