import { foreignError } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { createServedTable, type ServedTable } from "./served-table.ts";
import { settleModel } from "./settle-model.ts";
import { transition, type WantedModel } from "./transition.ts";

const files = { shared: "", versions: new Map([["1", ""]]) };

const wanted = (name: string, config: ModelConfig, log: string[], fails = false): WantedModel => ({
  model: {
    kind: "model",
    name,
    folder: `/${name}`,
    config: { name, ...config },
    writtenInstances: [],
    surroundings: { folder: name, versionFiles: [] },
    versions: ["1"],
    labels: new Map(),
  },
  files,
  load: ({ folder, config: written }, version) => {
    log.push(`load ${name}`);
    if (fails) return Promise.reject(foreignError("repository/invalid", `${name} is broken`));
    const loaded = {
      execute: () => Promise.resolve([]),
      close: () => Promise.resolve(void log.push(`close ${name}`)),
    };
    const model = { name, version, folder, versionFolder: `${folder}/${version}`, config: written };
    return Promise.resolve({ model, loaded, labels: new Map() });
  },
});

const port = { name: "X", data_type: "TYPE_FP32", dims: [1] } as const;
const row: ModelConfig = { backend: "python", input: [port], output: [{ ...port, name: "Y" }] };
const ensembleOf = (...members: readonly string[]): ModelConfig => ({
  platform: "ensemble",
  input: [port],
  output: [{ ...port, name: "Y" }],
  ensemble_scheduling: {
    step: members.map((model_name, i) => ({
      model_name,
      model_version: -1,
      input_map: { X: i === 0 ? "X" : `t${i}` },
      output_map: { Y: i === members.length - 1 ? "Y" : `t${i + 1}` },
    })),
  },
});

/** Serves the models; returns those that could not be served, and why. */
const change = (
  served: ServedTable,
  models: readonly WantedModel[],
  affected: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  transition(served, {
    wanted: new Map(models.map((one) => [one.model.name, one])),
    affected: new Set(affected),
    settle: settleModel,
    decide: ({ settled, problems }) => ({ next: settled, result: problems }),
  });

const ready = (served: ServedTable): readonly string[] =>
  [...served.current().values()].filter((one) => one.ready.length > 0).map(({ name }) => name);

test("loads models and builds ensembles from them, each after its members", async () => {
  const log: string[] = [];
  const served = createServedTable(() => undefined);
  const models = [
    wanted("outer", ensembleOf("inner"), log),
    wanted("inner", ensembleOf("a", "a"), log),
    wanted("a", row, log),
  ];
  expect(await change(served, models, ["outer", "inner", "a"])).toEqual(new Map());
  expect(ready(served).toSorted()).toEqual(["a", "inner", "outer"]);
  expect(log).toEqual(["load a"]);
});

test("only affected models are loaded again, and a model is closed when nothing uses it", async () => {
  const log: string[] = [];
  const served = createServedTable(() => undefined);
  const [a, b] = [wanted("a", row, log), wanted("b", row, log)];
  await change(served, [a, b], ["a", "b"]);
  const before = served.current().get("a");
  await change(served, [a], ["b"]);
  await served.close();
  expect(served.current().get("a")).toBe(before);
  expect(log).toEqual(["load a", "load b", "close b", "close a"]);
});

test("an ensemble whose member fails reports this, and the other models are served", async () => {
  const served = createServedTable(() => undefined);
  const models = [
    wanted("a", row, []),
    wanted("bad", row, [], true),
    wanted("e", ensembleOf("a", "bad"), []),
  ];
  const problems = await change(served, models, ["a", "bad", "e"]);
  expect([...problems.keys()].toSorted()).toEqual(["bad", "e"]);
  expect(problems.get("bad")).toContain("bad is broken");
  expect(problems.get("e")).toContain("ensemble 'e' depends on 'bad' which has no loaded version");
  expect(ready(served)).toEqual(["a"]);
});

test("a cycle of ensembles cannot be ordered", async () => {
  const served = createServedTable(() => undefined);
  const models = [wanted("e", ensembleOf("f"), []), wanted("f", ensembleOf("e"), [])];
  const problems = await change(served, models, ["e", "f"]);
  expect([...problems.keys()].toSorted()).toEqual(["e", "f"]);
  expect([...problems.values()].join()).toContain("circular dependency");
  expect(ready(served)).toEqual([]);
});

test("a folder that cannot be read is reported as such", async () => {
  const served = createServedTable(() => undefined);
  const problem = foreignError("repository/invalid", "failed to read text proto");
  const broken: WantedModel = { ...wanted("a", row, []), model: { kind: "broken", name: "a", problem } };
  await change(served, [broken], ["a"]);
  expect(served.current().get("a")).toMatchObject({
    ready: [],
    refused: { reason: { code: "repository/invalid" } },
  });
});
