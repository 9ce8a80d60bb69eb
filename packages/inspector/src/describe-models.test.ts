import type { ManifestModel } from "@tritype/manifest";
import type { DataType, ModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { describeModels, type KnownModels } from "./describe-models.ts";

const input = [{ name: "x", data_type: "TYPE_STRING", dims: [1] }] as const;
const around = (model: string): ModelConfig => ({
  max_batch_size: 4,
  input,
  ensemble_scheduling: { step: [{ model_name: model, input_map: { x: "x" }, output_map: {} }] },
});
const configs: Readonly<Record<string, ModelConfig>> = {
  outer: around("inner"),
  inner: around("model"),
  model: { max_batch_size: 4, input, backend: "python", sequence_batching: {} },
  loop: around("loop"),
};
const describe = (model: Partial<ManifestModel> = {}, calls?: KnownModels["calls"]) =>
  describeModels({
    statuses: Object.keys(configs).map((name) => ({ name, version: "1", state: "READY" })),
    configOf: (name) => configs[name],
    filesOf: () => undefined,
    manifest: {
      models: [{ name: "model", kind: "function", versions: [], ...model }],
      ensembles: [],
    } as never,
    findings: new Map(),
    ...(calls === undefined ? {} : { calls }),
  });

/** Models that are not in a manifest; a label file contains its model's name and its own. */
const describeServed = (known: Readonly<Record<string, ModelConfig>>) =>
  describeModels({
    statuses: Object.keys(known).map((name) => ({ name, version: "1", state: "READY" })),
    configOf: (name) => known[name],
    filesOf: () => undefined,
    manifest: undefined,
    findings: new Map(),
    labelsIn: (model, file) => [model, file],
  });

test("ensembles need sequences if a member does", () => {
  expect(describe().map(({ name, sequences }) => [name, sequences])).toEqual([
    ["inner", true],
    ["loop", false],
    ["model", true],
    ["outer", true],
  ]);
});

test("the ids of sequences are texts if the control input of a model or of a member is a text", () => {
  const sequenced = (data_type: DataType): ModelConfig => ({
    sequence_batching: {
      control_input: [{ name: "id", control: [{ kind: "CONTROL_SEQUENCE_CORRID", data_type }] }],
    },
  });
  const known: Readonly<Record<string, ModelConfig>> = {
    numbers: sequenced("TYPE_UINT64"),
    texts: sequenced("TYPE_STRING"),
    outer: around("texts"),
    other: around("numbers"),
  };
  const described = describeServed(known);
  expect(described.flatMap(({ name, textSequenceIds }) => (textSequenceIds ? [name] : []))).toEqual([
    "outer",
    "texts",
  ]);
});

test("an output has the lines of its label file; in an ensemble, those of the step that produces it", () => {
  const port = { name: "y", data_type: "TYPE_FP32", dims: [2] } as const;
  const chain = (step: string, own: string): ModelConfig => ({
    output: [{ ...port, name: "scores" }],
    ensemble_scheduling: { step: [{ model_name: step, input_map: {}, output_map: { [own]: "scores" } }] },
  });
  const known: Readonly<Record<string, ModelConfig>> = {
    outer: chain("inner", "scores"),
    inner: chain("model", "y"),
    model: { backend: "python", output: [{ ...port, label_filename: "names.txt" }] },
    loop: chain("loop", "scores"),
  };
  const described = describeServed(known);
  expect(described.map(({ name, outputs }) => [name, outputs[0]?.labels])).toEqual([
    ["inner", ["model", "names.txt"]],
    ["loop", undefined],
    ["model", ["model", "names.txt"]],
    ["outer", ["model", "names.txt"]],
  ]);
});

test("an input is JSON if a member reads it as JSON", () => {
  const twin = { kind: "function", options: { inputs: { x: { json: true } } }, files: {} };
  expect(describe({ twin }).map(({ name, inputs }) => [name, inputs[0]?.json])).toEqual([
    ["inner", {}],
    ["loop", undefined],
    ["model", {}],
    ["outer", {}],
  ]);
});

test("calls come from the manifest or, without an entry there, from the code", () => {
  const callsOf = (model: Partial<ManifestModel>) =>
    describe(model, new Map([["model", new Map([["other", undefined]])]])).find(
      ({ name }) => name === "model",
    )?.calls;
  expect(callsOf({ calls: ["inner"] })).toEqual(["inner"]);
  expect(callsOf({})).toEqual(["other"]);
});

test("sizes have the names that functions and flows use, even for models that only code calls", () => {
  const called = {
    step: {
      model: "inner",
      inputs: { text: { dtype: "BYTES", dims: ["rows"], servedAs: "x" } },
      outputs: {},
    },
  };
  const options = { inputs: { x: { dtype: "BYTES", dims: ["batch", "words"] } }, outputs: {}, calls: called };
  const dims = describe({ twin: { kind: "node", options, files: {} } }).map(({ name, inputs }) => [
    name,
    inputs[0]?.dims,
  ]);
  expect(dims).toEqual([
    ["inner", ["batch", 1]],
    ["loop", ["batch", 1]],
    ["model", ["batch", "words"]],
    ["outer", ["batch", 1]],
  ]);
  called.step.inputs.text.dims = ["rows", "letters"];
  const again = describe({ twin: { kind: "node", options, files: {} } });
  expect(again[0]?.inputs[0]?.dims).toEqual(["rows", "letters"]);
});

test("a place in the source describes the ensemble that is declared there, not the models that are made for it", () => {
  const at = (line: number) => ({ source: { file: "pipeline.ts", line, column: 1 } });
  const model = (name: string, more: object = {}) => ({ name, kind: "ensemble", versions: [], ...more });
  const described = describeModels({
    statuses: Object.keys(configs).map((name) => ({ name, version: "1", state: "READY" })),
    configOf: (name) => configs[name],
    filesOf: () => undefined,
    manifest: {
      models: [model("outer", at(3)), model("inner", at(3)), model("model", at(9))],
      ensembles: [{ name: "outer", inputs: {}, outputs: {} }],
    } as never,
    findings: new Map(),
    descriptionOf: (name, _, source) => `${name} at ${source?.line}`,
  });
  expect(described.map(({ name, description }) => [name, description])).toEqual([
    ["inner", undefined],
    ["loop", "loop at undefined"],
    ["model", "model at 9"],
    ["outer", "outer at 3"],
  ]);
});
