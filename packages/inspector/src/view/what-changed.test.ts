import { expect, test } from "vitest";
import type { ModelView, Overview } from "../api.ts";
import { model, named, tensor } from "./view.fixture.ts";
import { changedInside, whatChanged } from "./what-changed.ts";

const overview = (...models: readonly ModelView[]): Overview => ({
  repository: "build",
  server: { name: "tritype", version: "1", extensions: [] },
  tensors: true,
  statistics: true,
  models,
  findings: [],
  clients: [],
});

/** The changes as lines of text. */
const changes = (before: readonly ModelView[], after: readonly ModelView[]): readonly string[] =>
  whatChanged(overview(...before), overview(...after)).flatMap(({ model: name, kind, facts }) => [
    `${kind} ${name}`,
    ...facts.map((fact) => `  ${fact.name}: ${fact.before ?? "–"} → ${fact.after ?? "–"}`),
  ]);

test("added and removed models are listed", () => {
  expect(changes([model("a"), model("b")], [model("b"), model("c")])).toEqual(["removed a", "added c"]);
});

test("changed types, configuration fields, versions and files of a model are listed", () => {
  const before = model("m", { fields: { max_batch_size: "8", "dynamic_batching.priority_levels": "2" } });
  const after = model("m", {
    fields: { max_batch_size: "4" },
    inputs: [{ ...tensor("X", "batch", 3), optional: true }],
    outputs: [tensor("Z", -1)],
    versions: ["1", "2"],
    files: "other",
  });
  expect(changes([before], [after])).toEqual([
    "changed m",
    "  input X: FP32[-1] → FP32[batch, 3] optional",
    "  output Y: FP32[-1] → –",
    "  max_batch_size: 8 → 4",
    "  dynamic_batching.priority_levels: 2 → –",
    "  versions: 1 → 1, 2",
    "  output Z: – → FP32[-1]",
    "  files: – → –",
  ]);
});

test("changed steps of an ensemble and their changed connections are listed", () => {
  const step = (name: string, from: string, to: string) => ({
    model: name,
    inputs: { X: from },
    outputs: { Y: to },
  });
  const before = model("e", { steps: [step("a", "in", "mid"), step("a", "mid", "out")] });
  const after = model("e", { steps: [step("a", "in", "mid"), step("b", "mid", "out")], calls: ["helper"] });
  expect(changes([before], [after])).toEqual([
    "changed e",
    "  step a (2): X ← mid, Y → out → –",
    "  calls: – → helper",
    "  step b: – → X ← mid, Y → out",
  ]);
});

test("a model that becomes unavailable differs only in its state, and one that is loading does not differ", () => {
  const lost = model("m", { state: "UNAVAILABLE", fields: { max_batch_size: "4" } });
  expect(changes([model("m")], [lost])).toEqual(["changed m", "  state: ready → unavailable"]);
  expect(changes([model("m")], [{ ...lost, state: "LOADING" }])).toEqual([]);
});

test("a line that moved in the source is not a change", () => {
  const at = (line: number) => model("m", { source: { file: "pipeline.ts", line } });
  expect(changes([at(3)], [at(9)])).toEqual([]);
});

test("changed operators of tensor math are listed", () => {
  const before = model("math", { operators: { Mul: 2, Softmax: 1, Add: 1 }, files: "a" });
  const after = model("math", { operators: { Mul: 3, ReduceSum: 1, Add: 1 }, files: "b" });
  expect(changes([before], [after])).toEqual([
    "changed math",
    "  operator Mul: 2 → 3",
    "  operator Softmax: 1 → –",
    "  operator ReduceSum: – → 1",
    "  files: – → –",
  ]);
});

test("an ensemble has changed inside if a member at any depth has, or a model that the code of a member calls", () => {
  const around = (name: string, inner: string, ...calls: readonly string[]) =>
    model(name, { steps: [{ model: inner, inputs: {}, outputs: {} }], calls });
  const outer = around("outer", "inner");
  const models = named(
    outer,
    around("inner", "flow"),
    model("flow", { calls: ["called"] }),
    around("loop", "loop"),
  );
  const inside = (...changed: readonly string[]) => changedInside(outer, models, new Set(changed));
  expect([inside("inner"), inside("flow"), inside("called")]).toEqual([true, true, true]);
  expect([inside(), inside("outer"), inside("other")]).toEqual([false, false, false]);
  expect(changedInside(around("loop", "loop"), models, new Set(["other"]))).toBe(false);
});
