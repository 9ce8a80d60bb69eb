import { dirname, resolve } from "node:path";
import { inBackticks, type PipelineError } from "@tritype/core";
import { runsPerRequest } from "@tritype/manifest";
import { readManifest } from "@tritype/project";
import { timeoutMsOf } from "../bench/bench-plan.ts";
import type { ExitCode, Given } from "../command.ts";
import { describeError } from "../describe-error.ts";
import { chosenEnsembles } from "../project/chosen-ensembles.ts";
import { refuseProfileOf } from "../project/need-profile.ts";
import { profiledRepositoryOf } from "../project/repository-of.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { type ComparedSteps, compareSteps } from "../verify/compare-steps.ts";
import { drawRequests } from "../verify/draw-requests.ts";
import { printFindings } from "../verify/findings.ts";
import { givenTriton, openCompared } from "../verify/open-compared.ts";
import { printSteps } from "../verify/print-steps.ts";
import { readRequestFile } from "../verify/sample-requests.ts";
import { toleranceOf } from "../verify/tolerance.ts";
import { type VerifiedModel, verifyModel } from "../verify/verify-model.ts";
import { cliError } from "../errors.ts";

/** `pipeline verify [ensemble]` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const tolerance = toleranceOf(given, "1e-5");
  const timeoutMs = timeoutMsOf(given);
  const path = given.text("samples");
  const file = path === undefined ? undefined : readRequestFile(resolve(terminal.cwd, path));
  const triton = givenTriton(given, terminal);
  if (triton.running !== undefined) refuseProfileOf(given, "triton-url");
  const built = await profiledRepositoryOf(undefined, given, terminal);
  if (built === undefined) return 1;
  const { ensembles = [], models: builtModels = [] } = readManifest(dirname(built.repository)) ?? {};
  const perRequest = new Set(builtModels.filter(runsPerRequest).map(({ name }) => name));
  const sequential = ensembles.filter(({ sequenceIds }) => sequenceIds !== undefined).map(({ name }) => name);
  const chosen = chosenEnsembles(given.positionals, built.ensembles);
  const models = chosen.filter((one) => !sequential.includes(one));
  for (const model of chosen.filter((one) => sequential.includes(one)))
    noticeOf(terminal)(`\`${model}\` has sequences, which are not compared`);
  const compared = await openCompared(built, triton, given, terminal, timeoutMs);
  try {
    const verified: VerifiedModel[] = [];
    const steps: ComparedSteps[] = [];
    for (const model of models) {
      const requests = await drawRequests(compared.native, model, built, {
        file,
        generated: !given.flag("no-generated"),
      });
      const declared = ensembles.find(({ name }) => name === model);
      const one = await verifyModel({ name: model, declared }, requests, compared, tolerance, perRequest);
      verified.push(one);
      if (one.mixed.length > 0)
        noticeOf(terminal)(
          `not compared row by row, because a batchStep computes all rows of a request together: ${inBackticks(one.mixed)}`,
        );
      if (!given.flag("steps")) continue;
      // Samples are sent before generated requests.
      const samples = file === undefined ? built.samples.filter(({ ensemble }) => ensemble === model) : [];
      for (const [index, inputs] of requests.entries()) {
        const request = { model, request: index + 1, sample: samples[index]?.name };
        steps.push(...(await compareSteps(request, inputs, compared, tolerance)));
      }
    }
    return tell(verified, given.flag("steps") ? steps : undefined, tolerance, given, terminal);
  } finally {
    await compared.close();
  }
};

/** Prints the result, with steps if they were compared. An ensemble without comparisons, or whose requests all fail, proves nothing. */
const tell = (
  verified: readonly VerifiedModel[],
  steps: readonly ComparedSteps[] | undefined,
  tolerance: number,
  given: Given,
  terminal: Terminal,
): ExitCode => {
  const findings = verified.flatMap((one) => one.findings);
  if (steps !== undefined && !given.flag("json"))
    terminal.out(`${printSteps(steps, tolerance, terminal.colors)}\n`);
  const unproven = verified.filter((one) => !one.answered || one.findings.length === 0);
  terminal.out(
    given.flag("json")
      ? JSON.stringify(steps === undefined ? findings : { answers: findings, steps }, null, 2)
      : printFindings(findings, tolerance, terminal.colors, unproven.length === 0),
  );
  for (const one of unproven) terminal.note(describeError(whyUnproven(one), terminal.colors, ""));
  const agree =
    findings.every(({ tensor }) => tensor.ok) && steps?.some(({ first }) => first !== undefined) !== true;
  return findings.length > 0 && unproven.length === 0 && agree ? 0 : 1;
};

const whyUnproven = ({ model, answered, streams, failure = "" }: VerifiedModel): PipelineError =>
  answered
    ? cliError("verify/nothing-compared", { model })
    : cliError(
        "model/no-answer",
        { model, failure: failure.split("\n", 1)[0] ?? "" },
        streams ? { help: "pass requests that the ensemble can answer with --samples file.json" } : {},
      );
