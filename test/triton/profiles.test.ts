import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { grpcClient } from "@tritype/client";
import { tensorOf, valuesOf } from "@tritype/core";
import { startRuntime } from "@tritype/runtime";
import { completeModelConfig, modelConfigToJson, parseModelConfig } from "@tritype/triton";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { installJudge, installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";

/** The golden project `profiles`, served by a real Triton and the local runtime with `--model-config-name`. */
let folder: TemporaryFolder;
let repository: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  await cp(fileURLToPath(new URL("../golden/profiles/expected", import.meta.url)), folder.path, {
    recursive: true,
  });
  repository = join(folder.path, "model_repository");
}, installTime);
afterAll(() => folder.remove());

const models = ["embed", "embed_embedding", "encoder", "tokenize"];
const text = new Map([["text", tensorOf("BYTES", [2, 1], ["the cat sat", "the mat"])]]);

const serve = async (name: string): Promise<TritonServer> => {
  const triton = await serveTriton(await installJudge(), {
    repository,
    extraArguments: [`--model-config-name=${name}`],
  });
  onTestFinished(() => killTriton(triton));
  return triton;
};

/** Triton's form of one of our configurations. The judge's stand-in for ONNX Runtime has a different `runtime`. */
const expected = async (model: string, profile: string): Promise<object> => {
  const parsed = parseModelConfig(
    await readFile(join(repository, model, "configs", `${profile}.pbtxt`), "utf8"),
  );
  if ("problem" in parsed) throw new Error(parsed.problem.message);
  return modelConfigToJson(completeModelConfig(parsed.config, { folder: model }));
};

test("a real Triton serves the profile cpu with its configurations, and the local runtime gives the same answers", async () => {
  const triton = await serve("cpu");
  await triton.waitReady();
  for (const model of models) {
    const answer = await fetch(`${triton.httpUrl}/v2/models/${model}/config`);
    const read = (await answer.json()) as object;
    expect({ ...read, runtime: "" }, model).toEqual({ ...(await expected(model, "cpu")), runtime: "" });
  }
  const local = await startRuntime({
    repository,
    configName: "cpu",
    device: "cpu",
    python: "twin",
    notice: (line) => expect.fail(line),
  });
  onTestFinished(() => local.close());
  expect(local.modelConfig("encoder")).toMatchObject({ instance_group: [{ kind: "KIND_CPU", count: 2 }] });
  const client = grpcClient(triton.grpcAddress);
  onTestFinished(() => client.close());
  const call = { model: "embed", id: "", inputs: text };
  const [theirs, ours] = [await client.infer(call), await local.infer(call)];
  const embedding = theirs.get("embedding");
  const own = ours.outputs.get("embedding");
  if (embedding === undefined || own === undefined) throw new Error("no embedding");
  expect(own.shape).toEqual(embedding.shape);
  valuesOf(own).forEach((value, i) => expect(value).toBeCloseTo(Number(valuesOf(embedding)[i]), 6));
}, 60_000);

test("Triton reads the file of the profile gpu: without a GPU it refuses the instances", async () => {
  const triton = await serve("gpu");
  expect(triton.problems().join("\n")).toMatch(
    /instance group encoder_0 of model encoder has kind KIND_GPU but no GPUs are available/,
  );
  expect(triton.problems().join("\n")).not.toMatch(/tokenize/);
}, 60_000);

test("for an unknown profile Triton silently uses config.pbtxt, and we report an error", async () => {
  const triton = await serve("gup");
  await triton.waitReady();
  expect(triton.problems()).toEqual([]);
  await expect(
    startRuntime({ repository, configName: "gup", device: "cpu", python: "twin", notice: () => {} }),
  ).rejects.toMatchObject({ code: "repository/invalid", help: "did you mean `gpu`?" });
}, 60_000);
