import { setMaxListeners } from "node:events";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { maxBatchSizeOf } from "@tritype/endpoint";
import { compileProject, type CompiledProject, type Project } from "@tritype/project";
import {
  CandidateRefused,
  changesOf,
  type Knob,
  knobsOf,
  type Point,
  runTune,
  tunedOptions,
  type TuneResult,
} from "@tritype/tune";
import { devServer, tritonServer } from "../bench/open-server.ts";
import { requestSet } from "../bench/request-set.ts";
import { soundBuild } from "../build/build-project.ts";
import type { ExitCode, Given } from "../command.ts";
import { usage } from "../command.ts";
import { deviceOf } from "../project/device.ts";
import { projectOf } from "../project/project-of.ts";
import { unknownEnsemble } from "../project/unknown-ensemble.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { compileCandidate, configOf, type TunedProfile, writeCandidate } from "../tune/candidate.ts";
import { experimentLine, printTune, trialLine } from "../tune/print-tune.ts";
import { serverLab } from "../tune/server-lab.ts";
import { openState } from "../tune/state-file.ts";
import { tunedEnsemble } from "../tune/tuned-ensemble.ts";
import { type TunePlan, tunePlan } from "../tune/tune-plan.ts";
import { settingsEdits, writeSettings } from "../tune/write-settings.ts";
import { acceptedInputsOf } from "../verify/accepted-inputs.ts";

/** `pipeline tune <ensemble> --target throughput` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const plan = tunePlan(given);
  const project = projectOf(given, terminal);
  const base = await compileProject(project, { notice: noticeOf(terminal) });
  const build = soundBuild(project, base, terminal);
  if (build === undefined) return 1;
  const profile = profileOf(given, plan, base);
  const ensemble = tunedEnsemble(base, profile.ensemble, profile.base, (model) =>
    configOf(base, model, profile.base),
  );
  const knobs = knobsOf(ensemble, {
    target: plan.target,
    cores: given.integer("cores", [1, 1024]) ?? availableParallelism(),
    code: !given.flag("profile-only"),
  });
  const stop = new AbortController();
  // Every slice waits for it.
  setMaxListeners(0, stop.signal);
  void terminal.untilStopped().then(() => stop.abort());
  const optionsAt = (point: Point) => tunedOptions(ensemble, knobs, point);
  const device = deviceOf(given, "cpu");
  const file = given.text("requests");
  const lab = serverLab({
    model: profile.ensemble,
    seconds: plan.seconds,
    seed: 1,
    timeoutMs: 30_000,
    signal: stop.signal,
    build: async (point, folder) =>
      writeCandidate(project, await compileCandidate(base, profile, optionsAt(point), folder)),
    serve: ({ repository }) =>
      given.flag("triton")
        ? tritonServer({ repository, configName: profile.name }, terminal)
        : devServer(
            {
              repository,
              device,
              python: given.flag("python") ? "always" : "twin",
              configName: profile.name,
            },
            terminal,
          ),
    requests: async (endpoint, { repository, samples }) => {
      const set = await requestSet({
        file: file === undefined ? undefined : { path: resolve(terminal.cwd, file), shown: file },
        samples: samples.filter((one) => one.ensemble === profile.ensemble).map(({ inputs }) => inputs),
        metadata: await endpoint.metadata(profile.ensemble),
        maxBatchSize: await maxBatchSizeOf(endpoint, profile.ensemble),
        accepted: acceptedInputsOf(repository, profile.ensemble),
        endpoint,
      });
      terminal.note(`requests: ${set.requests.length} (${set.source})`);
      return set.requests;
    },
  });
  const state = openState(terminal, {
    plan,
    profile,
    knobs,
    files: build.manifest.files,
    served: [given.flag("triton"), given.flag("python"), device, file],
    fresh: given.flag("fresh"),
  });
  if (state.known.trials.length > 0)
    terminal.note(
      `${terminal.colors.dim("note")} ${state.known.trials.length} measurements of an earlier run are used; --fresh measures them again`,
    );
  try {
    const result = await runTune({
      knobs,
      target: plan.target,
      load: plan.load,
      sideLoad: plan.sideLoad,
      lab,
      state: state.known,
      mostRuns: plan.runs,
      pairs: plan.pairs,
      signal: stop.signal,
      onExperiment: (experiment, number) =>
        terminal.note(experimentLine(experiment, number, knobs, terminal.colors)),
      onTrial: (trial, now) => {
        state.keep(now);
        terminal.note(trialLine(trial, terminal.colors));
      },
    });
    if (result === undefined) {
      terminal.note(`${terminal.colors.yellow("stopped")} Ctrl-C; the same command goes on from here`);
      return 0;
    }
    state.keep(result.state);
    return await tell({ given, terminal, project, base, profile, plan, knobs, result, optionsAt });
  } catch (error) {
    throw error instanceof CandidateRefused && error.cause !== undefined ? error.cause : error;
  } finally {
    lab.close();
  }
};

const profileOf = (
  given: Given,
  { ensemble }: TunePlan,
  { ensembles, settings }: CompiledProject,
): TunedProfile => {
  const [only, ...others] = ensembles;
  const named = ensemble ?? (others.length === 0 ? only : undefined);
  if (named === undefined)
    throw usage("which ensemble should be tuned?", `name one: ${ensembles.join(", ")}`);
  if (!ensembles.includes(named)) throw unknownEnsemble(named, ensembles);
  const base = given.text("profile");
  if (base !== undefined && settings.profiles[base] === undefined)
    throw usage(
      `there is no profile \`${base}\``,
      `pipeline.config.ts has ${Object.keys(settings.profiles).join(", ") || "none"}`,
    );
  return { name: given.text("name") ?? "tuned", base, ensemble: named };
};

interface Told {
  readonly given: Given;
  readonly terminal: Terminal;
  readonly project: Project;
  readonly base: CompiledProject;
  readonly profile: TunedProfile;
  readonly plan: TunePlan;
  readonly knobs: readonly Knob[];
  readonly result: TuneResult;
  readonly optionsAt: (point: Point) => ReturnType<typeof tunedOptions>;
}

const tell = async (told: Told): Promise<ExitCode> => {
  const { given, terminal, project, base, profile, plan, knobs, result, optionsAt } = told;
  terminal.out(printTune(result, knobs, plan, terminal.outColors));
  const { best, confirmed } = result;
  if (confirmed === undefined || confirmed.low <= 1 || changesOf(knobs, best).length === 0) return 0;
  const edits = settingsEdits(project, base, profile, optionsAt(best));
  return await writeSettings(project, edits, given.flag("write"), terminal);
};
