import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { grpcClient } from "@tritype/client";
import { type NamedTensors, tensorOf, valuesOf } from "@tritype/core";
import { startRuntime } from "@tritype/runtime";
import { completeModelConfig, modelConfigToJson, parseModelConfig, printModelConfig } from "@tritype/triton";
import { serveTriton } from "@tritype/tritonserver";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { installJudge, installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { withStubBackends } from "./stub-backends.ts";

/** The golden project `backends`. */
let folder: TemporaryFolder;
let repository: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  await cp(fileURLToPath(new URL("../golden/backends/expected", import.meta.url)), folder.path, {
    recursive: true,
  });
  repository = join(folder.path, "model_repository");
}, installTime);
afterEach(() => folder.remove());

const call = {
  model: "numbers",
  id: "",
  inputs: new Map([["x", tensorOf("FP32", [2, 4], [1, 2, 3, 4, -1, 0, 0.5, 8])]]),
};
const shown = (outputs: NamedTensors): object =>
  Object.fromEntries([...outputs].map(([name, tensor]) => [name, [...valuesOf(tensor)].map(Number)]));
/** The first output is doubled twice and then once more by tensor math; the second is doubled twice. */
const answer = { eight: [8, 16, 24, 32, -8, 0, 4, 64], other: [4, 8, 12, 16, -4, 0, 2, 32] };

/** Expects each configuration to be that of its file with Triton's additions. The judge's ONNX Runtime backend has its own `runtime`. */
const expectReadBack = async (url: string, file: (model: string) => string): Promise<void> => {
  for (const model of await readdir(repository)) {
    const parsed = parseModelConfig(await readFile(join(repository, model, file(model)), "utf8"));
    if ("problem" in parsed) throw new Error(parsed.problem.message);
    const read = (await (await fetch(`${url}/v2/models/${model}/config`)).json()) as object;
    const expected = modelConfigToJson(completeModelConfig(parsed.config, { folder: model })) as object;
    expect({ ...read, runtime: "" }, model).toEqual({ ...expected, runtime: "" });
  }
};

test("a real Triton serves the stand-ins of the profile cpu, although config.pbtxt has other backends", async () => {
  const triton = await serveTriton(await installJudge(), {
    repository,
    extraArguments: ["--model-config-name=cpu"],
  });
  onTestFinished(() => killTriton(triton));
  await triton.waitReady();
  await expectReadBack(triton.httpUrl, () => "configs/cpu.pbtxt");
  const client = grpcClient(triton.grpcAddress);
  onTestFinished(() => client.close());
  expect(shown(await client.infer(call))).toEqual(answer);
}, 60_000);

test.each([undefined, "cpu"])(
  "the local runtime runs the stand-ins, profile %s",
  async (configName) => {
    const notices: string[] = [];
    const local = await startRuntime({
      repository,
      ...(configName === undefined ? {} : { configName }),
      device: "cpu",
      python: "always",
      notice: (line) => notices.push(line),
    });
    onTestFinished(() => local.close());
    expect(shown((await local.infer(call)).outputs)).toEqual(answer);
    expect(local.modelConfig("double")).toMatchObject({
      backend: configName === "cpu" ? "onnxruntime" : "pytorch",
    });
    expect(
      notices.filter((line) => /runs its stand-in stand-in\.onnx: no backend 'pytorch' here/.test(line)),
    ).toHaveLength(configName === "cpu" ? 0 : 2);
  },
  60_000,
);

test("a stand-in does not run for a model that has changed", async () => {
  await writeFile(join(repository, "again/1/model.pt"), "another");
  const local = await startRuntime({ repository, device: "cpu", python: "twin", notice: () => {} });
  onTestFinished(() => local.close());
  expect(local.models().find(({ name }) => name === "again")).toMatchObject({
    state: "UNAVAILABLE",
    help: expect.stringContaining("1/model.pt has changed since the build") as string,
  });
}, 60_000);

test("a real Triton's core accepts the configurations for the real backends", async () => {
  for (const model of await readdir(repository)) {
    const file = join(repository, model, "config.pbtxt");
    const parsed = parseModelConfig(await readFile(file, "utf8"));
    if ("problem" in parsed) throw new Error(parsed.problem.message);
    // A stub never responds to a warmup, and this machine has no GPU.
    const { model_warmup: _, instance_group, ...config } = parsed.config;
    const groups = instance_group?.map((group) => ({ ...group, kind: "KIND_CPU" as const }));
    await writeFile(
      file,
      printModelConfig({ ...config, ...(groups === undefined ? {} : { instance_group: groups }) }),
    );
  }
  const backends = ["fil", "openvino", "pytorch", "tensorrt"];
  const triton = await serveTriton(await withStubBackends(await installJudge(), backends), { repository });
  onTestFinished(() => killTriton(triton));
  await triton.waitReady();
  await expectReadBack(triton.httpUrl, () => "config.pbtxt");
}, 60_000);
