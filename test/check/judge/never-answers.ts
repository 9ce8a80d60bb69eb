import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkRepository } from "@tritype/check";
import { serveTriton, type TritonInstallation } from "@tritype/tritonserver";
import type { CaseFiles } from "./case-files.ts";
import { caseHost, modelNames } from "./case-files.ts";
import { judgeOptions } from "./checker-verdict.ts";
import { writeCase } from "./server-judge.ts";

/** What release 24.10 neither loads nor refuses: the request to load it is never answered. */
const endless = new Set(["model-file/missing-python", "config/shell-characters"]);

export const neverAnswers = (files: CaseFiles): boolean =>
  checkRepository(caseHost(files), judgeOptions(true)).diagnostics.some(({ code }) => endless.has(code));

/** Loads all models of a repository at once; those that are ready, and those that had no answer when these were. */
export const loadAtOnce = async (
  triton: TritonInstallation,
  files: CaseFiles,
  expectReady: number,
): Promise<{ readonly ready: readonly string[]; readonly unanswered: readonly string[] }> => {
  const repository = await mkdtemp(join(tmpdir(), "tritype-judge-"));
  const names = modelNames(files);
  await writeCase(repository, files);
  const server = await serveTriton(triton, {
    repository,
    strict: true,
    extraArguments: [
      "--model-control-mode=explicit",
      `--model-load-thread-count=${names.length}`,
      "--allow-grpc=false",
      "--allow-metrics=false",
    ],
  });
  const leaving = new AbortController();
  const answers = new Map<string, number>();
  const loads = names.map(async (name) => {
    const url = `${server.httpUrl}/v2/repository/models/${name}/load`;
    const response = await fetch(url, { method: "POST", signal: leaving.signal }).catch(() => undefined);
    if (response !== undefined) answers.set(name, response.status);
  });
  const ready = () => names.filter((name) => answers.get(name) === 200);
  while (ready().length < expectReady && answers.size < names.length) await sleep(100);
  await sleep(2000);
  const result = { ready: ready(), unanswered: names.filter((name) => !answers.has(name)) };
  leaving.abort();
  await Promise.all(loads);
  await server.stop();
  await rm(repository, { recursive: true, force: true });
  return result;
};
