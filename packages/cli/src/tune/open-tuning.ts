import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { attempt, counted, ownValue } from "@tritype/core";
import { maxBatchSizeOf, openRemote, type RemoteEndpoint } from "@tritype/endpoint";
import type { CompiledProject, Project } from "@tritype/project";
import type { ModelConfig } from "@tritype/triton";
import {
  type Knob,
  type KnobOptions,
  knobsOf,
  type Lab,
  type Point,
  type Repeats,
  tunedOptions,
  type TunedOptions,
} from "@tritype/tune";
import { closeAll, orClosed } from "../close-all.ts";
import { devProcess, tritonServer } from "../bench/open-server.ts";
import { requestSet, sampleInputs } from "../bench/request-set.ts";
import { servedConfigs } from "../bench/served-models.ts";
import type { Given } from "../command.ts";
import { describeModel } from "../request-inputs.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { acceptedBy } from "../verify/accepted-inputs.ts";
import { orAborted } from "./or-aborted.ts";
import { compileCandidate, configOf, type TunedProfile, writeCandidate } from "./candidate.ts";
import { serverLab, type SliceOptions, timeoutMs } from "./server-lab.ts";
import { tunedEnsemble } from "./tuned-ensemble.ts";
import type { TunedServer } from "./tuned-server.ts";
import type { TunePlan } from "./tune-plan.ts";
import { urlLab } from "./url-lab.ts";

/** The ensemble to tune, and the servers that measure it. */
export interface Tuning {
  readonly knobs: readonly Knob[];
  readonly optionsAt: (point: Point) => TunedOptions;
  readonly lab: Lab & { readonly close: () => Promise<void> };
  /** Everything that measurements depend on, apart from the build: the kind of server, its address and the requests. */
  readonly served: readonly unknown[];
}

export interface TuningOptions {
  readonly given: Given;
  readonly terminal: Terminal;
  readonly plan: TunePlan;
  readonly project: Project;
  readonly base: CompiledProject;
  readonly profile: TunedProfile;
  readonly server: TunedServer;
  readonly signal: AbortSignal;
}

/** @throws PipelineError `server/unreachable`, `request/unsupported` for a server without model control */
export const openTuning = async (options: TuningOptions): Promise<Tuning> => {
  const { http } = options.server;
  return http === undefined ? ownTuning(options) : await urlTuning(options, http);
};

/** Servers that this process starts, one for each candidate. */
const ownTuning = (options: TuningOptions): Tuning => {
  const { given, project, base, profile, signal } = options;
  const terminal = sayingOnce(options.terminal);
  const { device } = options.server;
  const code = !given.flag("profile-only");
  const configAt = (model: string) => configOf(base, model, profile.base);
  const { models } = base.compilation.emitted;
  const isCached = models.some(({ name }) => configAt(name)?.response_cache?.enable === true);
  const repeats = isCached ? undefined : repeatsIn(options);
  const { knobs, optionsAt } = described(options, { code, repeats }, configAt);
  const python = given.flag("python") ? "always" : "twin";
  const configName = profile.name;
  const own = devProcess(terminal, steadyHeap);
  const lab = serverLab({
    ...sliceOptions(options),
    inOrder: repeats !== undefined,
    isCached: (point) => optionsAt(point).profiles.get(profile.ensemble)?.["responseCache"] !== undefined,
    build: async (point, folder) => {
      const compiling = compileCandidate(base, profile, optionsAt(point), folder);
      return writeCandidate(project, await orAborted(compiling, signal));
    },
    serve: ({ repository }, responseCache) => {
      const extraArguments =
        responseCache === undefined ? [] : [`--cache-config=local,size=${responseCache + tritonCacheBytes}`];
      return given.flag("triton")
        ? tritonServer({ repository, configName, extraArguments }, terminal)
        : own.serve({ repository, device, python, configName, responseCache }, signal);
    },
    requests: (endpoint) => requestsOf(options, endpoint),
  });
  return {
    knobs,
    optionsAt,
    lab: { ...lab, close: () => closeAll([lab.close, own.close]) },
    served: [given.flag("triton"), python, device, requestsText(options)],
  };
};

/**
 * Megabytes below which V8 does not collect the whole heap. Otherwise some servers do so ten times a second and others hardly ever, with
 * the same settings, which makes a difference of up to 1.3 in their rates.
 */
export const steadyHeap: readonly string[] = ["--initial-old-space-size=256"];

/** Bytes that Triton's cache needs in addition to its answers. Measured on 24.10. */
const tritonCacheBytes = 144;

/** Every server says the same about its models. */
const sayingOnce = (terminal: Terminal): Terminal => {
  const said = new Set<string>();
  const note = (text: string): void => {
    if (!said.has(text)) terminal.note(text);
    said.add(text);
  };
  return { ...terminal, note };
};

/** A running server, whose models are loaded with different configurations. */
const urlTuning = async (options: TuningOptions, http: string): Promise<Tuning> => {
  const { base, profile } = options;
  const { headers } = options.server;
  const slices = { ...sliceOptions(options), headers };
  const endpoint = await openRemote(slices.model, { http }, { timeoutMs, headers });
  const configs = await servedConfigs(endpoint, slices.model);
  const { knobs, optionsAt } = described(options, { code: false }, (model) => configs.get(model));
  const lab = urlLab({
    ...slices,
    http,
    endpoint,
    configs,
    changes: async (point) => {
      if (Object.keys(point).length === 0) return new Map();
      const compiled = await compileCandidate(base, profile, optionsAt(point), base.settings.output);
      return changedFields([...configs.keys()], (model) => [
        configOf(base, model, profile.base),
        configOf(compiled, model, profile.name),
      ]);
    },
    requests: () => requestsOf(options, endpoint),
    notice: noticeOf(options.terminal),
  });
  await orClosed(lab, lab.probe);
  const { repeated = 0, all = 0 } = repeatsIn(options) ?? {};
  if (repeated > 0)
    noticeOf(options.terminal)(
      `${repeated} of ${counted(all, "request")} repeat an earlier one, so \`responseCache\` may answer ${Math.round((repeated / all) * 100)} % of such requests without running a model; it is only tried without --url`,
    );
  return { knobs, optionsAt, lab, served: [http, requestsText(options), [...configs]] };
};

const described = (
  options: TuningOptions,
  tried: Pick<KnobOptions, "code" | "repeats">,
  configAt: (model: string) => ModelConfig | undefined,
): Pick<Tuning, "knobs" | "optionsAt"> => {
  const { plan, base, profile, server } = options;
  const ensemble = tunedEnsemble(base, profile.ensemble, profile.base, {
    configOf: configAt,
    autoDevice: server.device === "cuda" ? "gpu" : server.device,
  });
  const cores = server.cores ?? coresByDefault(options);
  const knobs = knobsOf(ensemble, { target: plan.target, cores, ...tried });
  return { knobs, optionsAt: (point) => tunedOptions(ensemble, knobs, point) };
};

/** The processors that the profile's servers have. A server on this machine has no more than the machine. */
const coresByDefault = ({ server, terminal, base, profile }: TuningOptions): number => {
  const own = availableParallelism();
  const cores = ownValue(base.settings.cores, profile.base ?? "");
  if (cores === undefined) return own;
  const used = server.http === undefined ? Math.min(cores, own) : cores;
  noticeOf(terminal)(`profile \`${profile.base}\` has \`cores: ${cores}\`: layouts for ${used} are tried`);
  return used;
};

const sliceOptions = ({ plan, profile, signal }: TuningOptions): SliceOptions => ({
  model: profile.ensemble,
  seconds: plan.seconds,
  mostWarm: plan.mostWarm,
  signal,
});

/** The content of the requests file, on which measurements depend. An unreadable file is reported later. */
const requestsText = ({ given, terminal }: Pick<TuningOptions, "given" | "terminal">): string | undefined => {
  const file = given.text("requests");
  if (file === undefined) return undefined;
  return attempt(() => readFileSync(resolve(terminal.cwd, file), "utf8")) ?? file;
};

const requestsOf = async (
  { given, terminal, base, profile, signal }: TuningOptions,
  endpoint: RemoteEndpoint,
): ReturnType<Parameters<typeof urlLab>[0]["requests"]> => {
  const { build } = base.compilation;
  const file = given.text("requests");
  const { samples = [] } = build ?? {};
  const { requests, source } = await requestSet({
    file,
    cwd: terminal.cwd,
    samples,
    metadata: await describeModel(endpoint, profile.ensemble),
    maxBatchSize: await maxBatchSizeOf(endpoint, profile.ensemble),
    accepted: acceptedBy(build?.manifest, profile.ensemble),
    send: (inputs) => endpoint.infer(profile.ensemble, inputs, undefined, signal),
  });
  terminal.note(`requests: ${requests.length} (${source})`);
  const notice = noticeOf(terminal);
  if (file === undefined && sampleInputs(profile.ensemble, samples).length === 0)
    notice("the best settings depend on the lengths of real requests: pass some with --requests");
  return requests;
};

/** How many lines of the requests file repeat an earlier one; undefined if none does. */
const repeatsIn = (options: Pick<TuningOptions, "given" | "terminal">): Repeats | undefined => {
  const lines = (requestsText(options) ?? "").trim().split(/\r?\n\s*/);
  const repeated = lines.length - new Set(lines).size;
  return repeated === 0 ? undefined : { repeated, all: lines.length };
};

/** The fields that differ in the models' configurations, with their new values; undefined for a field that was removed. */
const changedFields = (
  models: readonly string[],
  configsOf: (model: string) => readonly [ModelConfig | undefined, ModelConfig | undefined],
): ReadonlyMap<string, Readonly<Record<string, unknown>>> =>
  new Map(
    models.flatMap((model) => {
      const [before, after] = configsOf(model).map(
        (config): ReadonlyMap<string, unknown> | undefined => config && new Map(Object.entries(config)),
      );
      if (before === undefined || after === undefined) return [];
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (field) => JSON.stringify(before.get(field)) !== JSON.stringify(after.get(field)),
      );
      return changed.length === 0
        ? []
        : [[model, Object.fromEntries(changed.map((field) => [field, after.get(field)]))] as const];
    }),
  );
