import { expect, test } from "vitest";
import type { ReadableModel } from "../repository/read-model.ts";
import { loadModel } from "./load-model.ts";

const state: NonNullable<NonNullable<ReadableModel["config"]["sequence_batching"]>["state"]>[number] = {
  input_name: "s",
  output_name: "s",
  initial_state: [{ data_type: "TYPE_FP32", dims: [1], data_file: "missing" }],
};
const model: ReadableModel = {
  kind: "model",
  name: "m",
  folder: "/nowhere",
  config: { name: "m", sequence_batching: { state: [state] } },
  writtenInstances: [],
  surroundings: { folder: "m", versionFiles: [] },
  versions: ["1"],
  labels: new Map(),
};

test("a version that fails after its model was loaded is closed", async () => {
  let closed = 0;
  const loaded = { execute: async () => [], close: async () => void closed++ };
  const version = {
    name: "m",
    version: "1",
    folder: "/nowhere",
    versionFolder: "/nowhere/1",
    config: model.config,
  };
  const made = await loadModel(
    model,
    { shared: "", versions: new Map() },
    async () => ({ model: version, loaded, labels: new Map() }),
    new Map(),
  );
  expect([made.ready, made.failed.map((one) => one.version), closed]).toEqual([[], ["1"], 1]);
});
