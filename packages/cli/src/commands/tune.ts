import { counted, PipelineError } from "@tritype/core";
import { compileProject, type CompiledProject } from "@tritype/project";
import { checkProfileName } from "@tritype/triton";
import {
  BaselineFailed,
  changesOf,
  type Knob,
  metLimit,
  type Point,
  runTune,
  sureGain,
  type TunedOptions,
  type TuneLoad,
  tuneReport,
  type TuneResult,
} from "@tritype/tune";
import { machine } from "../bench/machine.ts";
import { ownVersion } from "../own-version.ts";
import { writeReport } from "../write-file.ts";
import { soundBuild } from "../build/build-project.ts";
import { type ExitCode, type Given, usage } from "../command.ts";
import { cliError } from "../errors.ts";
import { ensembleOf } from "../project/ensemble-of.ts";
import { projectOf } from "../project/project-of.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { unknownName } from "../unknown-name.ts";
import type { TunedProfile } from "../tune/candidate.ts";
import { openTuning, type TuningOptions } from "../tune/open-tuning.ts";
import { experimentLine, printTune, trialLine } from "../tune/print-tune.ts";
import { openState } from "../tune/state-file.ts";
import { type TunePlan, tunePlan } from "../tune/tune-plan.ts";
import { tunedServer } from "../tune/tuned-server.ts";
import { readSources, settingsEdits, writeSettings } from "../tune/write-settings.ts";

/** `pipeline tune <ensemble> --target throughput` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const plan = tunePlan(given);
  const server = tunedServer(given, terminal);
  const name = profileName(given);
  const project = projectOf(given, terminal);
  const base = await compileProject(project, { notice: noticeOf(terminal) });
  const sources = readSources(project, base);
  const build = soundBuild(project, base, terminal);
  if (build === undefined) return 1;
  const profile = { ...profileOf(given, base), name };
  const { ensemble: model } = profile;
  const { streams, sequenceIds } = build.manifest.ensembles.find(({ name }) => name === model) ?? {};
  if (streams === true) throw cliError("request/streams", { model, command: "tune" });
  if (sequenceIds !== undefined) throw cliError("request/sequences", { model, command: "tune" });
  const stop = new AbortController();
  void terminal.untilStopped().then((how) => stop.abort(how));
  const { knobs, optionsAt, lab, served } = await openTuning({
    given,
    terminal,
    plan,
    project,
    base,
    profile,
    server,
    signal: stop.signal,
  });
  const state = openState(terminal, {
    plan,
    profile,
    knobs,
    files: build.manifest.files,
    served,
    fresh: given.flag("fresh"),
  });
  // A cache that cannot be written is reported before anything is measured.
  state.keep(state.known);
  if (state.known.trials.length > 0)
    terminal.note(
      `${terminal.colors.dim("note")} reusing ${counted(state.known.trials.length, "measurement")} of an earlier run; --fresh measures again`,
    );
  try {
    const result = await runTune({
      ...plan,
      mostRuns: plan.runs,
      knobs,
      lab,
      state: state.known,
      signal: stop.signal,
      onExperiment: (experiment, number) =>
        terminal.note(experimentLine(experiment, number, knobs, terminal.colors)),
      onTrial: (trial, now) => {
        state.keep(now);
        terminal.note(trialLine(trial, terminal.colors));
      },
    });
    if (result === undefined) {
      const { reason } = stop.signal;
      terminal.note(`${terminal.colors.yellow("stopped")} ${reason}; the same command continues from here`);
      return reason === "SIGTERM" ? 143 : 0;
    }
    state.keep(result.state);
    return await printResult({
      given,
      terminal,
      project,
      base,
      profile,
      plan,
      knobs,
      result,
      optionsAt,
      sources,
    });
  } catch (error) {
    if (!(error instanceof BaselineFailed)) throw error;
    throw PipelineError.is(error.cause)
      ? error.cause
      : cliError("tune/baseline-failed", { why: error.message });
  } finally {
    await lab.close();
  }
};

/** The profile that gets the settings. @throws PipelineError `usage/invalid` */
const profileName = (given: Given): string => {
  const name = given.text("name") ?? "tuned";
  const problem = checkProfileName(name);
  if (problem !== undefined) throw usage(`--name is ${name}`, problem);
  return name;
};

const profileOf = (given: Given, { ensembles, settings }: CompiledProject): Omit<TunedProfile, "name"> => {
  const ensemble = ensembleOf(given.positionals[0], ensembles, "tuned");
  const base = given.text("profile");
  if (base !== undefined && !Object.hasOwn(settings.profiles, base))
    throw unknownName("profile", base, Object.keys(settings.profiles));
  return { base, ensemble };
};

interface TunedProject extends Omit<TuningOptions, "server" | "signal"> {
  readonly knobs: readonly Knob[];
  readonly result: TuneResult;
  readonly optionsAt: (point: Point) => TunedOptions;
  readonly sources: ReadonlyMap<string, string>;
}

/** Prints and writes the result. Returns 1 if the limit of the target is not met. */
const printResult = async (tuned: TunedProject): Promise<ExitCode> => {
  const { given, terminal, project, base, profile, plan, knobs, result, optionsAt, sources } = tuned;
  terminal.out(printTune(result, knobs, plan, terminal.outColors));
  await writeReport(given, terminal, () =>
    tuneReport(result, knobs, reportFacts(plan, profile, given.text("url"))),
  );
  const { best } = result;
  if (sureGain(result) !== undefined && changesOf(knobs, best).length > 0) {
    const tuned = optionsAt(best);
    const edits = settingsEdits(project, base, profile, tuned);
    await writeSettings(project, edits, given.flag("write"), sources, terminal);
    if (tuned.profiles.get(profile.ensemble)?.["responseCache"] !== undefined)
      noticeOf(terminal)(
        "answers are only cached by servers with a cache: --cache-config=local,size=<bytes>, as in the emitted Dockerfile",
      );
  }
  return metLimit(result, knobs, plan.target)?.isMet === false ? 1 : 0;
};

const reportFacts = (
  { target, load, sideLoad }: TunePlan,
  { ensemble }: TunedProfile,
  url: string | undefined,
): Parameters<typeof tuneReport>[2] => {
  const { cpu, cores } = machine();
  const shown = (one: TuneLoad): string =>
    one.kind === "open" ? `${one.rate} requests/s` : counted(one.clients, "client");
  return {
    ensemble,
    target,
    load: target.kind === "within" ? "as many clients as the limit allows" : shown(load),
    sideLoad: shown(sideLoad),
    where: `${url ?? "servers on this machine"} · ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC · ${cores} cores, ${cpu}`,
    version: ownVersion(),
  };
};
