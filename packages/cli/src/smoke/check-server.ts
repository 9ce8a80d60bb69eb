import { counted, inBackticks, type NamedTensors, percentile, PipelineError } from "@tritype/core";
import type { Endpoint, ListenedEndpoint, RemoteEndpoint } from "@tritype/endpoint";
import type { Manifest, ManifestEnsemble } from "@tritype/manifest";
import type { BuiltProject } from "@tritype/project";
import type { ModelConfig } from "@tritype/triton";
import { sampleInputs } from "../bench/request-set.ts";
import { compareAnswer, nativeAnswer } from "../verify/compare-endpoints.ts";
import { judgeLatency, type LatencyLimit } from "./judge-latency.ts";
import { timeSamples } from "./time-samples.ts";

/** The check of one property in which a server must match the build. */
export interface ServerCheck {
  /** The model; undefined for the whole server. */
  readonly model: string | undefined;
  readonly what: "ready" | "build" | "contract" | "warmup" | "answers" | "latency";
  readonly ok: boolean;
  readonly text: string;
}

export interface SmokeOptions {
  readonly tolerance: number;
  /** How many times each sample is sent to measure the latency. */
  readonly repeats: number;
  /** Default: `latencyRule`. */
  readonly limit: LatencyLimit | undefined;
}

interface SampledBuild extends Pick<BuiltProject, "samples"> {
  readonly manifest: Manifest;
}

/** The two endpoints that are compared. */
interface Sides {
  /** The build in the local runtime. */
  readonly build: ListenedEndpoint;
  readonly server: RemoteEndpoint;
}

/** Whether the server is ready. @throws PipelineError `server/unreachable` */
export const checkReady = async ({ client }: RemoteEndpoint): Promise<ServerCheck> => {
  if (await client.ready()) return { model: undefined, what: "ready", ok: true, text: "all models" };
  const index = await client.repositoryIndex().catch(() => []);
  const names = index.flatMap(({ name, state }) => (state === "READY" ? [] : [name]));
  const which = names.length === 0 ? "" : `: ${inBackticks([...new Set(names)])}`;
  return { model: undefined, what: "ready", ok: false, text: `not every model is ready${which}` };
};

/**
 * Whether the server runs this build. Only the servers of `pipeline deploy` say which: their name ends with its hash.
 * @param served The server's name.
 */
export const checkBuild = (served: string, wanted: string): readonly ServerCheck[] => {
  if (!/-[\da-f]{12}$/.test(served)) return [];
  const ok = served === wanted;
  const text = ok ? served : `the server runs ${served}, the build is ${wanted}`;
  return [{ model: undefined, what: "build", ok, text }];
};

/** Sends the samples of an ensemble to a server, and compares it with the build. */
export const checkEnsemble = async (
  ensemble: ManifestEnsemble,
  built: SampledBuild,
  sides: Sides,
  options: SmokeOptions & { readonly mustMeasure: boolean },
): Promise<readonly ServerCheck[]> => {
  const contract = await checkContract(ensemble, sides);
  // The tensors differ, so nothing else can be compared.
  if (!contract.ok) return [contract];
  const warmup = await checkWarmup(ensemble.name, built.manifest, sides);
  const samples = sampleInputs(ensemble.name, built.samples);
  const why = whyNotSent(ensemble, built);
  const text = `not measured: \`${ensemble.name}\` ${why}`;
  const unmeasured = { model: ensemble.name, what: "latency", ok: false, text } as const;
  if (why !== undefined) return [contract, ...warmup, ...(options.mustMeasure ? [unmeasured] : [])];
  return [
    contract,
    ...warmup,
    await checkAnswers(ensemble.name, samples, sides, options.tolerance),
    await checkLatency(ensemble.name, samples, sides, options),
  ];
};

/** The reason why no samples are sent to an ensemble; undefined if they are. */
export const whyNotSent = (
  { name, streams, sequenceIds }: ManifestEnsemble,
  { samples }: Pick<SampledBuild, "samples">,
): string | undefined => {
  if (streams === true) return "streams its responses";
  if (sequenceIds !== undefined) return "has sequences";
  return samples.some(({ ensemble }) => ensemble === name) ? undefined : "has no samples";
};

/** The checks of an ensemble to which no samples are sent. The build has warmup for those with samples. */
export const checkedWithoutSamples = ({ warmup }: Manifest, name: string): string =>
  warmup?.requests.some(({ ensemble }) => ensemble === name) === true ? "contract and warmup" : "contract";

const checkContract = async (
  { name, contractHash }: ManifestEnsemble,
  { server }: Sides,
): Promise<ServerCheck> => {
  const config = await servedConfig(server, name);
  const served = config?.parameters?.["tritype_contract"]?.string_value;
  return {
    model: name,
    what: "contract",
    ok: served === contractHash,
    text:
      served === contractHash
        ? contractHash.slice(0, 12)
        : config === undefined
          ? `the server does not have \`${name}\`, or it is not ready`
          : `the server has ${served?.slice(0, 12) ?? "none"}, the build ${contractHash.slice(0, 12)}`,
  };
};

/** Undefined if the server does not have the model. */
const servedConfig = async (server: Endpoint, model: string): Promise<ModelConfig | undefined> => {
  try {
    return await server.config(model);
  } catch (error) {
    if (PipelineError.is(error) && (error.code === "model/not-found" || error.code === "model/unavailable"))
      return undefined;
    throw error;
  }
};

/** Whether the models of a call are warmed up with as many requests as in the build. */
const checkWarmup = async (
  name: string,
  { warmup }: Manifest,
  { build, server }: Sides,
): Promise<readonly ServerCheck[]> => {
  const models = [
    ...new Set((warmup?.requests ?? []).flatMap(({ ensemble, model }) => (ensemble === name ? [model] : []))),
  ];
  if (models.length === 0) return [];
  const cold: string[] = [];
  for (const model of models) {
    const wanted = (await build.config(model)).model_warmup?.length ?? 0;
    const config = await servedConfig(server, model);
    const served = config?.model_warmup?.length ?? 0;
    if (config === undefined) cold.push(`the server does not have \`${model}\`, or it is not ready`);
    else if (served < wanted) cold.push(`${model} has ${served} of ${wanted} warmup requests`);
  }
  const text = cold.length === 0 ? counted(models.length, "model") : cold.join("; ");
  return [{ model: name, what: "warmup", ok: cold.length === 0, text }];
};

const checkAnswers = async (
  model: string,
  samples: readonly NamedTensors[],
  { build, server }: Sides,
  tolerance: number,
): Promise<ServerCheck> => {
  const found = [];
  for (const inputs of samples) {
    const wanted = await nativeAnswer(build, { model, inputs });
    found.push(...(await compareAnswer(server, { model, inputs }, wanted, tolerance)));
  }
  const wrong = found.find(({ ok }) => !ok);
  const largest = Math.max(0, ...found.map(({ maxAbsolute }) => maxAbsolute));
  return {
    model,
    what: "answers",
    ok: wrong === undefined,
    text:
      wrong === undefined
        ? `${counted(samples.length, "sample")}, max abs ${largest.toExponential(1)}`
        : `\`${wrong.name}\` differs: ${wrong.problem ?? `max abs ${wrong.maxAbsolute.toExponential(1)}`}`,
  };
};

const checkLatency = async (
  model: string,
  samples: readonly NamedTensors[],
  { build, server }: Sides,
  { repeats, limit }: SmokeOptions,
): Promise<ServerCheck> => {
  const { times, errors } = await timeSamples(server, model, samples, repeats);
  const local = await timeSamples(build, model, samples, repeats);
  const failed = [...errors].find(([inputs]) => !local.errors.has(inputs));
  if (failed !== undefined)
    return { model, what: "latency", ok: false, text: `a request failed: ${failed[1]}` };
  return { model, what: "latency", ...judgeLatency(times, percentile(local.times, 0.5), limit) };
};
