import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { onTestFinished } from "vitest";
import { tritonWith } from "../environment/triton.ts";
import { killTriton } from "../triton/judge.ts";
import type { DeployedProject } from "./deployed-project.ts";

/**
 * A real Triton that serves the build, or another folder of the project; stopped when the test ends.
 * @param program Returns the program that runs instead of Triton's, for instance a wrapper.
 */
export const serveBuild = async (
  made: DeployedProject,
  extraArguments: readonly string[],
  repository = "build/model_repository",
  program: (executable: string) => string = (executable) => executable,
): Promise<TritonServer> => {
  const installation = await tritonWith(readFileSync(made.path("build/requirements.txt"), "utf8"), () => {});
  const started = { ...installation, executable: program(installation.executable) };
  const server = await serveTriton(started, {
    repository: resolve(made.root, repository),
    extraArguments,
  });
  onTestFinished(() => killTriton(server));
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
