import { expect, test } from "vitest";
import type { StepView } from "../api.ts";
import { buildGraph, type ViewGraph } from "./build-graph.ts";
import { changedEdges, newSteps } from "./changed-edges.ts";
import { model, named, tensor } from "./view.fixture.ts";

const step = (name: string, from: string, to: string): StepView => ({
  model: name,
  inputs: { X: from },
  outputs: { Y: to },
});
const graphOf = (steps: readonly StepView[], size = -1): ViewGraph => {
  const root = model("e", { inputs: [tensor("in", size)], outputs: [tensor("out", -1)], steps });
  const member = { inputs: [tensor("X", size)] };
  return buildGraph(root, named(root, model("a", member), model("b"), model("c")), new Set());
};
const texts = (before: ViewGraph, after: ViewGraph): readonly string[] =>
  [...changedEdges(before, after)].map(({ from, to, lines }) => `${from} ─ ${to}: ${lines.join("; ")}`);

const before = graphOf([step("a", "in", "mid"), step("b", "mid", "out")]);

test("the same graph has no changed edges", () => {
  expect(texts(before, graphOf([step("a", "in", "mid"), step("b", "mid", "out")]))).toEqual([]);
});

test("an edge has changed if its type or one of its ends has", () => {
  expect(texts(before, graphOf([step("a", "in", "mid"), step("b", "mid", "out")], 4))).toEqual([
    "input in ─ 0:a: in → X FP32[4]",
  ]);
  expect(texts(before, graphOf([step("a", "in", "out"), step("b", "in", "other")]))).toEqual([
    "input in ─ 1:b: in → X FP32[-1]",
    "0:a ─ output out: Y → out FP32[-1]",
  ]);
});

test("an edge of an added step does not count as changed, because the step is new", () => {
  const after = graphOf([step("c", "in", "first"), step("a", "first", "mid"), step("b", "mid", "out")]);
  expect(texts(before, after)).toEqual([]);
  expect([...newSteps(before, after)]).toEqual(["0:c"]);
  expect([...newSteps(after, before)]).toEqual([]);
});

test("a second step with the same model is new", () => {
  const after = graphOf([step("a", "in", "mid"), step("b", "mid", "more"), step("b", "more", "out")]);
  expect([...newSteps(before, after)]).toEqual(["2:b"]);
});
