import { type CheckOptions, checkRepository, entries } from "@tritype/check";
import type { Diagnostic } from "@tritype/core";
import { defaultRelease, releaseOf } from "@tritype/triton";
import { type CaseFiles, caseHost, modelNames } from "./case-files.ts";
import { stubBackends } from "./server-judge.ts";

/** Has the same form as the verdicts of `startJudge`'s server. */
export const judgeOptions = (strict: boolean, release = "24.10"): CheckOptions => ({
  release: releaseOf(release) ?? defaultRelease,
  strict,
  gpus: [],
  installed: {
    backends: ["python", ...stubBackends],
    repositoryAgents: [],
    cpuAccelerators: [],
    libraries: [],
  },
});

const judged = new Map(entries.map((entry) => [entry.code, entry.judged]));

/** Whether the server with stub backends could detect it. */
export const isCoreRefusal = ({ code, severity }: Diagnostic): boolean =>
  severity === "error" && (judged.get(code) === "live" || judged.get(code) === "stub");

/** The checker's refusals by model: only those that the server could detect. */
export const checkerRefusals = (
  files: CaseFiles,
  strict: boolean,
  release?: string,
): ReadonlyMap<string, readonly Diagnostic[]> => {
  const { diagnostics } = checkRepository(caseHost(files), judgeOptions(strict, release));
  const errors = diagnostics.filter(isCoreRefusal);
  return new Map(modelNames(files).map((name) => [name, errors.filter((error) => modelOf(error) === name)]));
};

const modelOf = ({ labels }: Diagnostic): string | undefined => labels[0]?.span.file.split("/")[0];
