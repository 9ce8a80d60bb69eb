import { expect, test } from "vitest";
import { ensembleCases } from "./ensemble-cases.fixture.ts";
import { ensembleRules } from "./ensemble-rules.ts";
import { findings, repository } from "./findings.fixture.ts";
import { resolveEnsembles } from "./resolve-ensembles.ts";

test.each(Object.entries(ensembleCases))("%s", (_, { files, says }) => {
  expect(findings(files, ensembleRules)).toEqual(says);
});

const step = (model: string): string =>
  `step { model_name: "${model}" model_version: -1 input_map { key: "A" value: "A" } output_map { key: "Z" value: "Z" } }`;
const wired = (model: string): string => `platform: "ensemble"
input { name: "A" data_type: TYPE_FP32 dims: [ 1 ] }
output { name: "Z" data_type: TYPE_FP32 dims: [ 1 ] }
ensemble_scheduling { ${step(model)} }
`;
/** Ensembles by name, each with the model of its only step. */
const ensembles = (steps: readonly (readonly [name: string, model: string])[]) =>
  Object.fromEntries(
    steps.flatMap(([name, model]) => [
      [`${name}/config.pbtxt`, wired(model)],
      [`${name}/1/.keep`, ""],
    ]),
  );

test("an ensemble that calls a member of a cycle is refused too", () => {
  const leading = ensembles([
    ["a", "b"],
    ["b", "c"],
    ["c", "b"],
  ]);
  expect(findings(leading, ensembleRules)).toEqual([
    "ensemble/refused-model a/config.pbtxt:4: ensemble `a` needs model `b`, which Triton refuses",
    "ensemble/circular c/config.pbtxt:4: ensemble `c` is a step of itself: c → b → c",
    "ensemble/circular b/config.pbtxt:4: ensemble `b` is a step of itself: b → c → b",
  ]);
});

test("a refused member that several steps call is reported only once", () => {
  const files = {
    "e/config.pbtxt": wired("m").replace(step("m"), `${step("m")} ${step("m")} ${step("m")}`),
    "e/1/.keep": "",
    "m/config.pbtxt": "hello: 1",
  };
  const refused = [...resolveEnsembles(repository(files)).values()].flatMap(({ problems }) => problems);
  expect(refused).toMatchObject([{ kind: "refused-model", at: { index: 0 }, steps: 3 }]);
});

test("chains and cycles of thousands of ensembles are checked", () => {
  const count = process.env["TRITYPE_LOAD"] === "long" ? 3000 : 1000;
  const ring = Array.from({ length: count }, (_, i) => [`e${i}`, `e${(i + 1) % count}`] as const);
  const chain = Array.from({ length: count }, (_, i) => [`f${i}`, i === 0 ? "e0" : `f${i - 1}`] as const);
  const context = repository(ensembles([...ring, ...chain]));
  const resolved = [...resolveEnsembles(context).values()];
  expect(resolved.filter(({ problems }) => problems.length === 1)).toHaveLength(2 * count);
});

test("a Python model that completes its configuration may have more inputs than the configuration lists", () => {
  const files = {
    ...ensembles([["e", "m"]]),
    "m/config.pbtxt": `backend: "python"`,
    "m/1/model.py": "def auto_complete_config(config): ...",
  };
  expect(findings(files, ensembleRules, { strict: false })).toEqual([]);
  expect(findings(files, ensembleRules).map((line) => line.split(" ")[0])).toEqual([
    "ensemble/unknown-port",
    "ensemble/unknown-port",
  ]);
});

test("without files, the check rules out version 0 but does not know which other versions exist", () => {
  const judge = (version: string) =>
    findings(
      {
        "e/config.pbtxt": wired("m").replace("model_version: -1", version),
        "m/config.pbtxt": wired("m")
          .replace(/ensemble_scheduling.*/, "")
          .replace('platform: "ensemble"', 'backend: "identity"'),
      },
      ensembleRules,
      { configsOnly: true },
    ).map((line) => line.split(" ")[0]);
  expect(judge("model_version: 3")).toEqual([]);
  expect(judge("")).toEqual(["ensemble/step-version"]);
});
