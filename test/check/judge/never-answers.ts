import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkRepository } from "@tritype/check";
import { serveTriton, type TritonInstallation } from "@tritype/tritonserver";
import { writeFiles } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { killTriton } from "../../triton/judge.ts";
import type { CaseFiles } from "./case-files.ts";
import { caseHost, modelNames } from "./case-files.ts";
import { judgeOptions } from "./checker-verdict.ts";

/** Models that release 24.10 neither loads nor refuses: the load request is never answered. */
const endless = new Set(["model-file/missing-python", "config/shell-characters"]);

export const neverAnswers = (files: CaseFiles): boolean =>
  checkRepository(caseHost(files), judgeOptions(true)).diagnostics.some(({ code }) => endless.has(code));

/**
 * Loads models one after the other, then `last` in parallel: returns those that are ready, and which of `last` got no
 * answer within five seconds.
 */
export const loadWithout = async (
  triton: TritonInstallation,
  files: CaseFiles,
  last: readonly string[],
): Promise<{ readonly ready: readonly string[]; readonly unanswered: readonly string[] }> => {
  const repository = await mkdtemp(join(tmpdir(), "tritype-judge-"));
  const names = modelNames(files);
  writeFiles(repository, files);
  const server = await serveTriton(triton, {
    repository,
    strict: true,
    extraArguments: [
      "--model-control-mode=explicit",
      // Each load request also occupies a thread of the HTTP server.
      `--model-load-thread-count=${names.length}`,
      `--http-thread-count=${names.length + 4}`,
      "--allow-grpc=false",
      "--allow-metrics=false",
    ],
  });
  const leaving = new AbortController();
  const answers = new Map<string, number>();
  const load = async (name: string): Promise<void> => {
    const url = `${server.httpUrl}/v2/repository/models/${name}/load`;
    const response = await fetch(url, { method: "POST", signal: leaving.signal }).catch(() => undefined);
    if (response !== undefined) answers.set(name, response.status);
  };
  for (const name of names.filter((one) => !last.includes(one))) await load(name);
  const loads = last.map(load);
  await sleep(5000);
  const result = {
    ready: names.filter((name) => answers.get(name) === 200),
    unanswered: names.filter((name) => !answers.has(name)),
  };
  leaving.abort();
  await Promise.all(loads);
  await killTriton(server);
  await rm(repository, { recursive: true, force: true });
  return result;
};
