import { expect, test } from "vitest";
import type { ModelActivity } from "./model-activity.ts";
import { requestTime } from "./request-time.ts";

const active = (
  model: string,
  totalUs: number,
  parts: readonly [number, number, number, number],
): ModelActivity => ({
  model,
  version: "1",
  requests: 10,
  failures: 0,
  inferences: 10,
  executions: 10,
  totalUs,
  queueUs: parts[0],
  computeInputUs: parts[1],
  computeInferUs: parts[2],
  computeOutputUs: parts[3],
  batches: [],
});
const step = (model: string, reads: readonly string[], writes: readonly string[]) => ({
  model,
  reads,
  writes,
});
const namesOf = (steps: readonly { readonly model: string }[] = []) => steps.map(({ model }) => model);

const activity = [
  active("embed", 1000, [0, 0, 0, 0]),
  active("tokenize", 120, [10, 10, 90, 10]),
  active("encoder", 520, [100, 10, 400, 10]),
  active("pool", 60, [5, 5, 45, 5]),
];
const ensembles = new Map([
  [
    "embed",
    [
      step("tokenize", ["text"], ["ids"]),
      step("encoder", ["ids"], ["states"]),
      step("pool", ["states"], ["y"]),
    ],
  ],
]);

test("the parts of a request add up to its time", () => {
  const time = requestTime("embed", activity, ensembles, 1400);
  expect(time).toMatchObject({ requestUs: 1400, betweenUs: 300, outsideUs: 400, others: [] });
  expect(namesOf(time?.steps)).toEqual(["tokenize", "encoder", "pool"]);
});

test("the slower of two parallel steps counts", () => {
  const parallel = new Map([
    [
      "embed",
      [
        step("tokenize", ["text"], ["ids"]),
        step("encoder", ["text"], ["s"]),
        step("pool", ["ids", "s"], ["y"]),
      ],
    ],
  ]);
  const time = requestTime("embed", activity, parallel, 1400);
  expect(namesOf(time?.steps)).toEqual(["encoder", "pool"]);
  expect(namesOf(time?.others)).toEqual(["tokenize"]);
  expect(time?.betweenUs).toBe(420);
});

test("an ensemble among the steps is replaced by its own steps", () => {
  const nested = new Map([
    ["embed", [step("tokenize", ["text"], ["ids"]), step("vector", ["ids"], ["y"])]],
    ["vector", [step("encoder", ["ids"], ["states"]), step("pool", ["states"], ["y"])]],
  ]);
  const time = requestTime("embed", [...activity, active("vector", 700, [0, 0, 0, 0])], nested, 1400);
  expect(namesOf(time?.steps)).toEqual(["tokenize", "encoder", "pool"]);
  expect(time).toMatchObject({ betweenUs: 300, others: [] });
});

test("a model that is not an ensemble is its own step", () => {
  expect(requestTime("encoder", activity, new Map(), 500)).toMatchObject({
    steps: [{ model: "encoder", queueUs: 100 }],
    betweenUs: 0,
    outsideUs: 0,
  });
  expect(requestTime("unknown", activity, new Map(), 500)).toBeUndefined();
});
