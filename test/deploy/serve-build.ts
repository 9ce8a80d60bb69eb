import { readFileSync } from "node:fs";
import { serveTriton, type TritonServer, withRequirements } from "@tritype/tritonserver";
import { onTestFinished } from "vitest";
import { installJudge } from "../triton/judge.ts";
import type { DeployedProject } from "./deployed-project.ts";

/** A real Triton that serves the build, or another folder of the project; stopped when the test ends. */
export const serveBuild = async (
  made: DeployedProject,
  extraArguments: readonly string[],
  repository = "build/model_repository",
): Promise<TritonServer> => {
  const installation = await withRequirements(
    await installJudge(),
    readFileSync(made.path("build/requirements.txt"), "utf8"),
    { notice: () => {} },
  );
  const server = await serveTriton(installation, {
    repository: made.path(repository),
    extraArguments,
  });
  onTestFinished(() => server.stop());
  await server.waitReady();
  return server;
};

/** The answer of `total` to one row. */
export const askTotal = async ({ httpUrl }: TritonServer, row: readonly number[]): Promise<unknown> => {
  const inputs = [{ name: "x", datatype: "FP32", shape: [1, row.length], data: row }];
  const response = await fetch(`${httpUrl}/v2/models/total/infer`, {
    method: "POST",
    body: JSON.stringify({ inputs }),
  });
  return response.json();
};
