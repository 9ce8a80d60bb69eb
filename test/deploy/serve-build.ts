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
