import type { ModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import type { DeployedBuild } from "./deployed-build.ts";
import { queuePerRequest } from "./observability/metrics.ts";
import { modelsRunByCode, servedGroups } from "./served-groups.ts";

const ensemble = (...steps: readonly string[]): ModelConfig => ({
  ensemble_scheduling: { step: steps.map((model_name) => ({ model_name })) },
});
const delayed = (max_queue_delay_microseconds: number): ModelConfig => ({
  dynamic_batching: { max_queue_delay_microseconds },
});

/** A build with these models, some of which clients call. */
const build = (
  models: Readonly<Record<string, ModelConfig>>,
  called: readonly string[],
  calls: Readonly<Record<string, readonly string[]>> = {},
): DeployedBuild => ({
  manifest: {
    formatVersion: 1,
    target: "24.10",
    models: Object.keys(models).map((name) => ({ name, kind: "onnx", calls: calls[name] })),
    ensembles: called.map((name) => ({ name, inputs: {}, outputs: {}, contractHash: "", graph: {} })),
    loadOrder: [],
    requirements: [],
    files: {},
  },
  hash: "",
  models: Object.entries(models).map(([name, config]) => ({
    name,
    config,
    profiles: {},
    bytes: 0,
    storedBytes: 0,
  })),
  profiles: [],
});

test("ensembles without common members have their own groups, with the delays of their members", () => {
  const made = build({ a: ensemble("x", "y"), b: ensemble("z"), x: delayed(2000), y: delayed(500), z: {} }, [
    "b",
    "a",
  ]);
  expect(servedGroups(made)).toEqual([
    {
      name: "a",
      called: ["a"],
      weights: new Map([["a", 1]]),
      members: ["x", "y"],
      callees: [],
      delayMs: 2.5,
    },
    { name: "b", called: ["b"], weights: new Map([["b", 1]]), members: ["z"], callees: [], delayMs: 0 },
  ]);
});

test("names of groups differ although models only differ in case and punctuation; other names stay short", () => {
  const called = ["my-model", "my_model", "My.Model", "My.model.v2", "a__b", "a-b2"];
  const made = build(Object.fromEntries(called.map((name) => [name, {}])), called);
  expect(Object.fromEntries(servedGroups(made).map((group) => [group.called[0], group.name]))).toEqual({
    "my-model": "my__2dmodel",
    my_model: "my_model",
    "My.Model": "__4dy__2e__4dodel",
    "My.model.v2": "my_model_v2",
    a__b: "a_b",
    "a-b2": "a_b2",
  });
});

test("ensembles that share a member share a group, even through nested ensembles and calls from code", () => {
  const made = build(
    { a: ensemble("inner"), inner: ensemble("x"), b: ensemble("y"), flow: {}, x: {}, y: {} },
    ["a", "b", "flow"],
    { flow: ["x", "y"] },
  );
  expect(servedGroups(made).map(({ called, members }) => [called, members])).toEqual([
    [
      ["a", "b", "flow"],
      ["flow", "x", "y"],
    ],
  ]);
});

test("a request through a nested ensemble that clients also call counts once", () => {
  const made = build(
    {
      outer: ensemble("inner", "y"),
      twice: ensemble("inner", "inner", "inner"),
      inner: ensemble("x"),
      x: {},
      y: {},
    },
    ["outer", "twice", "inner"],
  );
  const [group] = servedGroups(made);
  expect(group?.weights).toEqual(
    new Map([
      ["inner", 1],
      ["twice", -2],
    ]),
  );
  expect(group === undefined ? "" : queuePerRequest(group)).toBe(
    'clamp_min(sum by (namespace, pod, instance) (rate(nv_inference_queue_duration_us{model=~"x|y"}[1m])) / clamp_min(sum by (namespace, pod, instance) (rate(nv_inference_request_success{model=~"inner"}[1m])) - 2 * sum by (namespace, pod, instance) (rate(nv_inference_request_success{model=~"twice"}[1m])), 0.01) / 1000 - 0, 0)',
  );
});

test("a flow's calls to a model that clients also call are not clients' requests", () => {
  const made = build(
    { ask: {}, large: ensemble("inner", "x"), inner: ensemble("y"), outer: ensemble("large"), x: {}, y: {} },
    ["ask", "large", "outer", "inner"],
    { ask: ["large"] },
  );
  expect(servedGroups(made)).toEqual([
    {
      name: "ask",
      called: ["ask", "inner", "large", "outer"],
      weights: new Map([
        ["ask", 1],
        ["outer", 1],
      ]),
      members: ["ask", "x", "y"],
      callees: ["x", "y"],
      delayMs: 0,
    },
  ]);
  expect([...modelsRunByCode(made)]).toEqual(["large", "inner", "y", "x"]);
});
