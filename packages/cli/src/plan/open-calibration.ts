import { resolve } from "node:path";
import { counted, inBackticks } from "@tritype/core";
import { type Calibration, parseCalibration } from "@tritype/plan";
import type { Endpoint } from "@tritype/endpoint";
import type { BuiltProject } from "@tritype/project";
import { isDecoupled, type ModelConfig } from "@tritype/triton";
import { machine } from "../bench/machine.ts";
import { ownVersion } from "../own-version.ts";
import { requestSet } from "../bench/request-set.ts";
import { builtModels, refuseSequences, servedConfigs } from "../bench/served-models.ts";
import type { Given } from "../command.ts";
import { cliError } from "../errors.ts";
import { evenly } from "../evenly.ts";
import { readGivenFile } from "../request-file.ts";
import { describeModel } from "../request-inputs.ts";
import type { Terminal } from "../terminal.ts";
import { acceptedInputsOf } from "../verify/accepted-inputs.ts";
import { readCalls } from "./calls-by-code.ts";
import { measureSystem } from "./measure-system.ts";
import { openMeasured } from "./measured-server.ts";
import type { PlanOptions } from "./plan-options.ts";

type Built = BuiltProject & { readonly configName: string | undefined };

/** Maximum number of requests that are measured; more requests do not improve a plan. */
const mostKinds = 8;

/** Measures the models of a build. */
export const measureCalibration = async (
  built: Built,
  model: string,
  { seconds, device }: Pick<PlanOptions, "seconds" | "device">,
  given: Given,
  terminal: Terminal,
): Promise<Calibration> => {
  const server = await openMeasured(built, device, given, terminal);
  try {
    const { endpoint } = server;
    const configs = await servedConfigs(endpoint, model);
    refuseSequences(configs, model, "plan");
    requireSimulated(configs);
    const set = await requestSet({
      file: given.text("requests"),
      cwd: terminal.cwd,
      samples: built.samples,
      metadata: await describeModel(endpoint, model),
      maxBatchSize: configs.get(model)?.max_batch_size ?? 0,
      accepted: acceptedInputsOf(built.repository, model),
      send: (inputs) => endpoint.infer(model, inputs),
    });
    const requests = evenly(set.requests, mostKinds);
    const { cpu, cores } = machine();
    const shown = `${requests.length} of ${counted(set.requests.length, "request")} (${set.source})`;
    terminal.note(`${terminal.colors.green("measuring")} \`${model}\` in ${server.name}: ${shown}`);
    const began = new Date().toISOString();
    const onProgress = terminal.progress;
    const system = await measureSystem({ server, model, configs, requests, cores, seconds, onProgress });
    const hashes = builtModels(built.repository) ?? {};
    const needed = await neededModels(built.repository, model, endpoint);
    return {
      formatVersion: 1,
      version: ownVersion(),
      began,
      machine: { cpu, cores },
      server: server.name,
      ...(server.configName === undefined ? {} : { profile: server.configName }),
      model,
      models: Object.fromEntries(needed.map((name) => [name, hashes[name] ?? ""])),
      requests: shown,
      system,
    };
  } finally {
    terminal.progress("");
    await server.close();
  }
};

/** @throws PipelineError `plan/not-simulated` for models that are not simulated */
const requireSimulated = (configs: ReadonlyMap<string, ModelConfig>): void => {
  for (const [model, config] of configs) {
    const what =
      config.sequence_batching !== undefined ? "sequences" : isDecoupled(config) ? "streams" : undefined;
    if (what !== undefined) throw cliError("plan/not-simulated", { model, what });
  }
};

/**
 * The model, its members, and all models that their code calls, in that order, which messages keep. Not `modelsRunBy`, because the steps
 * come from the server, one answer after the other.
 */
const neededModels = async (
  repository: string,
  model: string,
  endpoint: Endpoint,
): Promise<readonly string[]> => {
  const callsOf = readCalls(repository);
  const needed = [model];
  // The loop also visits the names that it adds.
  for (const name of needed) {
    const members = (await servedConfigs(endpoint, name)).keys();
    for (const next of [...members, ...(callsOf.get(name) ?? [])])
      if (!needed.includes(next)) needed.push(next);
  }
  return needed;
};

/**
 * Reads the times of a model from a file.
 * @throws PipelineError `file/not-readable` if it is not a calibration; `usage/invalid` if it is for a different model
 * or build
 */
export const readCalibration = (
  path: string,
  { repository }: Pick<Built, "repository">,
  model: string,
  { cwd }: Pick<Terminal, "cwd">,
): Calibration => {
  const read = parseCalibration(readGivenFile(resolve(cwd, path), "--from: the file", path));
  if ("problem" in read) throw cliError("plan/not-a-calibration", { path, why: read.problem });
  if (read.model !== model) throw cliError("plan/other-model", { path, measured: read.model, model });
  const hashes = builtModels(repository) ?? {};
  const changed = Object.entries(read.models).flatMap(([name, hash]) =>
    hashes[name] === hash ? [] : [name],
  );
  if (changed.length > 0) {
    const have = changed.length === 1 ? "has" : "have";
    throw cliError("plan/stale", { path, changed: inBackticks(changed), have });
  }
  return read;
};
