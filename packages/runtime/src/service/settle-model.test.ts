import { foreignError, type PipelineError } from "@tritype/core";
import { expect, test } from "vitest";
import { readyVersion } from "./load-model.ts";
import { emptyModel, type ReadyVersion, type ServedModel } from "./model-table.ts";
import { settleModel } from "./settle-model.ts";

const loaded = { execute: () => Promise.resolve([]), close: () => Promise.resolve() };
const version = (name: string): ReadyVersion =>
  readyVersion("m", name, { name: "m" }, loaded, { labels: new Map() });
const why = (text: string): PipelineError => foreignError("repository/invalid", text);
const files = (shared: string) => ({ shared, versions: new Map() });

const model = (ready: readonly ReadyVersion[], failed: ServedModel["failed"] = []): ServedModel => ({
  ...emptyModel("m", files("now")),
  ready,
  failed,
});

/** `1 ready`, `2: unloaded` */
const shown = (served: ServedModel | undefined): readonly string[] => [
  ...(served?.ready ?? []).map((one) => `${one.version} ready`),
  ...(served?.failed ?? []).map((one) => `${one.version}: ${one.reason.message}`),
];

test("the newly loaded versions replace the served ones; the other versions of the model are unloaded", () => {
  const { model: settled, problem } = settleModel(
    model([version("1"), version("2")]),
    model([version("2")]),
    undefined,
  );
  expect(shown(settled)).toEqual(["2 ready", "1: unloaded"]);
  expect(problem).toBeUndefined();
});

test("a model with a version that cannot be loaded keeps what it serves", () => {
  const before = model([version("1")]);
  const made = model([version("2")], [{ version: "3", reason: why("no memory") }]);
  const { model: settled, problem } = settleModel(before, made, undefined);
  expect(settled?.ready).toBe(before.ready);
  expect(shown(settled)).toEqual(["1 ready", "2: unloaded", "3: no memory"]);
  expect(settled?.refused).toMatchObject({ files: made.files, reason: { message: "no memory" } });
  expect(problem).toContain("version 3 is at UNAVAILABLE state: Invalid argument: no memory;");
});

test("a model without a version is reported as a problem, and nothing is kept", () => {
  const { model: settled, problem } = settleModel(undefined, model([]), undefined);
  expect(shown(settled)).toEqual([]);
  expect(problem).toContain("at least one version must be available under the version policy of model 'm'");
});

test.each([
  ["a model that is no longer wanted", undefined, undefined],
  ["an ensemble that cannot be composed", model([version("2")]), "ensemble 'm' depends on 'n'"],
])("%s serves nothing", (_, made, refusal) => {
  const { model: settled, problem } = settleModel(model([version("1")]), made, refusal);
  expect(shown(settled)).toEqual(["1: unloaded"]);
  expect(problem).toBe(refusal);
});

test("a model that was never served and is not wanted is removed completely", () => {
  expect(settleModel(undefined, undefined, undefined).model).toBeUndefined();
});
