import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { completeModelConfig, type ModelSurroundings } from "./complete-model-config.ts";
import type { ModelConfig } from "./generated/model-config.ts";
import { modelConfigFromJson } from "./model-config-from-json.ts";
import { modelConfigToJson } from "./model-config-to-json.ts";
import { parseModelConfig } from "./parse-model-config.ts";

const fixtures = new URL("fixtures/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, fixtures), "utf8");
const names = readdirSync(fixtures).flatMap((file) =>
  file.endsWith(".pbtxt") ? [file.slice(0, -".pbtxt".length)] : [],
);

// Configs that Triton 24.10 loaded on a machine without a GPU, and its answers at `/v2/models/<name>/config`.
describe.each(names)("Triton 24.10's answer for %s", (name) => {
  const answer: unknown = JSON.parse(read(`${name}.json`));

  it("Triton's answer is the same as our completed config in JSON", () => {
    const parsed = parseModelConfig(read(`${name}.pbtxt`));
    if ("problem" in parsed) throw new Error(parsed.problem.message);
    expect(modelConfigToJson(completeModelConfig(parsed.config, { folder: name }), "24.10")).toEqual(answer);
  });

  it("Triton's answer is read and written without loss", () => {
    const read = modelConfigFromJson(answer);
    if ("problem" in read) throw new Error(read.problem.message);
    expect(modelConfigToJson(read.config, "24.10")).toEqual(answer);
  });

  it("is complete", () => {
    const read = modelConfigFromJson(answer);
    if ("problem" in read) throw new Error(read.problem.message);
    expect(modelConfigToJson(completeModelConfig(read.config), "24.10")).toEqual(answer);
  });
});

it("there are fixtures for python, ensemble and onnxruntime models", () => {
  expect(names).toEqual(expect.arrayContaining(["bare", "ens", "stubbed"]));
});

const onnx: ModelConfig = { name: "m", backend: "onnxruntime" };
const groups: readonly (readonly [
  what: string,
  config: ModelConfig,
  surroundings: ModelSurroundings,
  groups: readonly object[],
])[] = [
  ["no group, a GPU", onnx, { gpus: [0] }, [{ name: "m", kind: "KIND_GPU", count: 1, gpus: [0] }]],
  ["no group, no GPU", onnx, {}, [{ name: "m", kind: "KIND_CPU", count: 2 }]],
  [
    "KIND_AUTO with a missing GPU",
    { ...onnx, instance_group: [{ gpus: [1] }] },
    { gpus: [0] },
    [{ name: "m_0", kind: "KIND_CPU", count: 2, gpus: [1] }],
  ],
  [
    "KIND_GPU for some GPUs",
    { ...onnx, instance_group: [{ kind: "KIND_GPU", gpus: [1], count: 3 }] },
    { gpus: [0, 1] },
    [{ name: "m_0", kind: "KIND_GPU", count: 3, gpus: [1] }],
  ],
];

it.each(groups)("completes instance groups: %s", (_, config, surroundings, expected) => {
  expect(completeModelConfig(config, surroundings).instance_group).toEqual(expected);
});

it("knows whether an ensemble has a decoupled step", () => {
  const ensemble: ModelConfig = { name: "e", platform: "ensemble", ensemble_scheduling: {} };
  expect(completeModelConfig(ensemble, { decoupledStep: true }).model_transaction_policy).toEqual({
    decoupled: true,
  });
});
