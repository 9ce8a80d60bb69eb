import { expect, test } from "vitest";
import { backendCases } from "./backend-cases.fixture.ts";
import { graphCases } from "./graph-cases.fixture.ts";
import { graphFile, onnxModel } from "./onnx-model.fixture.ts";
import { onnxRules } from "./onnx-rules.ts";
import type { RuleCase } from "./rule-case.fixture.ts";

const cases = [...backendCases, ...graphCases];

const diagnosticsOf = ({ code, config, graph, files = {}, options = {}, links }: RuleCase) => {
  const model = onnxModel(
    config,
    { ...(graph ? { "1/model.onnx": graphFile(graph) } : {}), ...files },
    options,
    links,
  );
  const rule = onnxRules.find(({ entry }) => entry.code === code);
  if (rule?.scope === "model") return rule.check(model);
  const models = new Map([
    ["m", { model, refused: undefined, completed: model.config, assumed: model.config }],
  ]);
  return (
    rule?.check({ models, unreadable: new Set(), options: model.options }) ?? expect.fail(`no rule ${code}`)
  );
};

const breaking = cases.filter(({ message }) => message !== undefined);
const passing = cases.filter(({ message }) => message === undefined);

test.each(breaking)("$code: $message", (broken) => {
  const found = diagnosticsOf(broken);
  expect(found.map(({ message }) => message).join("; ")).toBe(broken.message);
  if (broken.at !== undefined) expect(found[0]?.labels[0]?.span.file).toBe(broken.at);
});

test.each(passing)("$code lets $config pass", (near) => {
  expect(diagnosticsOf(near)).toEqual([]);
});

test("every rule has a case that breaks it and one that passes", () => {
  const codes = onnxRules.map(({ entry }) => entry.code).toSorted();
  const covered = (all: readonly RuleCase[]) => [...new Set(all.map(({ code }) => code))].toSorted();
  expect(new Set(codes).size).toBe(codes.length);
  expect(covered(breaking)).toEqual(codes);
  expect(covered(passing)).toEqual(codes);
});
