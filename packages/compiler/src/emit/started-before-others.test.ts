import { expect, test } from "vitest";
import type { EnsemblePlan } from "./plan-ensemble.ts";
import { startedBeforeOthers } from "./started-before-others.ts";

/** `model: a b > c d`: a call that reads the tensors `a` and `b` and produces `c` and `d`. */
const plan = (...calls: readonly string[]): EnsemblePlan => ({
  regions: [],
  allRegions: [],
  isSafe: true,
  calls: calls.map((text) => {
    const [model = "", tensors = ""] = text.split(": ");
    const [inputs, outputs] = tensors
      .split(" > ")
      .map((side) => Object.fromEntries(side.split(" ").map((name) => [name, name])));
    return { model, version: -1, inputs: inputs ?? {}, outputs: outputs ?? {} };
  }),
});

test.each<[string, Readonly<Record<string, EnsemblePlan>>, readonly string[]]>([
  ["one step", { e: plan("a: x > y") }, []],
  ["a chain", { e: plan("a: x > y", "b: y > z", "c: x z > w") }, []],
  ["steps that read the ensemble's inputs", { e: plan("a: x > y", "b: u > v", "c: y v > w") }, ["a"]],
  [
    "steps that read outputs of one step",
    { e: plan("a: x > y z", "b: y > v", "c: z > w", "d: y > u") },
    ["b", "c"],
  ],
  ["a step that also waits for a parallel one", { e: plan("a: x > y", "b: y > v", "c: y v > w") }, []],
  ["and for one after that", { e: plan("a: x > y", "b: y > v", "c: v > u", "d: y u > w") }, []],
  [
    "steps that wait for two others, either of which may be last",
    { e: plan("a: x > y", "b: x > z", "c: y > v", "d: y z > w") },
    ["a", "c"],
  ],
  ["one model twice", { e: plan("a: x > y", "a: u > v", "b: y v > w") }, ["a"]],
  [
    "an ensemble before a step, and what it runs",
    { e: plan("inner: x > y", "a: x > z"), inner: plan("b: x > m", "c: m > y"), other: plan("d: x > y") },
    ["b", "c", "inner"],
  ],
  [
    "an ensemble after a step",
    { e: plan("a: x > z", "inner: x > y"), inner: plan("b: x > m", "c: m > y") },
    ["a"],
  ],
])("%s", (_, plans, models) => {
  expect([...startedBeforeOthers(new Map(Object.entries(plans)))].toSorted()).toEqual(models);
});
