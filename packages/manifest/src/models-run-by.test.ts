import { expect, test } from "vitest";
import { modelsRunBy } from "./models-run-by.ts";

const steps: Readonly<Record<string, readonly string[]>> = { all: ["inner", "last"], inner: ["first"] };
const calls: Readonly<Record<string, readonly string[]>> = { first: ["called"], called: ["all", "deeper"] };
const runBy = modelsRunBy(
  { models: ["all", "first", "called"].map((name) => ({ name, kind: "python", calls: calls[name] })) },
  (model) => steps[model] ?? [],
);

test.each([
  ["all", ["all", "inner", "first", "called", "deeper", "last"]],
  ["first", ["first", "called", "all", "inner", "last", "deeper"]],
  ["last", ["last"]],
])("a request to %s runs steps and called models, each once", (model, run) => {
  expect([...runBy(model)]).toEqual(run);
});
