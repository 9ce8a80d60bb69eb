import { resolve } from "node:path";
import { guessHelp, inBackticks, type PipelineError } from "@tritype/core";
import { type DriftLimitsByOutput, type DriftReport, driftReportFormatVersion } from "@tritype/drift";
import { isDecoupled } from "@tritype/triton";
import { haveSequences, type ServedConfigs, servedConfigs } from "../bench/served-models.ts";
import { usage } from "../command.ts";
import { describeModel } from "../request-inputs.ts";
import type { PlacedRequest } from "../request-file.ts";
import { readDataset } from "./dataset.ts";
import { mergedLimits, refuseUnknownOutputs } from "./given-limits.ts";
import { measureDrift } from "./measure-drift.ts";
import type { VariantSample } from "./built-samples.ts";
import type { Variant } from "./open-variant.ts";
import { cliError } from "../errors.ts";

/** The dataset for comparing two variants. */
export interface Comparison {
  /** Default: every ensemble that both variants have. */
  readonly models: readonly string[];
  /** The ensembles whose answers may differ; by default, only these are compared. Default: all. */
  readonly affected?: readonly string[] | undefined;
  /** Default: the samples of the variants, or else those of the project. */
  readonly dataset: string | undefined;
  /** The samples of the project that the command is run in. */
  readonly projectSamples: () => Promise<readonly VariantSample[]>;
  /** The model's own limits: it must have all of their outputs. */
  readonly limitsOf: (model: string) => DriftLimitsByOutput;
  /** Limits for the models that have their outputs. They take precedence. */
  readonly limits: DriftLimitsByOutput;
  /** Whether one of the models must have the outputs of `limits`. */
  readonly needsOutputs: boolean;
  readonly batchSize: number;
  /** The folder against which a relative dataset path is resolved. */
  readonly cwd: string;
  readonly notice: (text: string) => void;
}

/** Single rows do not need padding, so a missing mask only has an effect next to longer rows. */
export const defaultBatchSize = 8;

/** Compares a candidate with a reference. @throws PipelineError, with file and row, if something cannot be compared. */
export const compareVariants = async (
  reference: Variant,
  candidate: Variant,
  comparison: Comparison,
): Promise<DriftReport> => {
  const { models: wanted, affected, dataset, limitsOf, limits, batchSize, notice } = comparison;
  const chosen = await comparable(
    wanted.length > 0
      ? chosenModels(reference, candidate, wanted)
      : affectedModels(commonModels(reference, candidate, notice), affected, notice),
    [reference, candidate],
    wanted.length > 0,
    notice,
  );
  const samples =
    dataset === undefined ? await samplesOf(chosen, [candidate, reference], comparison) : noSamples;
  const names = dataset === undefined && wanted.length === 0 ? withSamples(chosen, samples, notice) : chosen;
  const outputs: string[] = [];
  for (const name of names) {
    const own = await outputsOf(name, [reference, candidate]);
    refuseUnknownOutputs(limitsOf(name), own);
    outputs.push(...own);
  }
  if (comparison.needsOutputs) refuseUnknownOutputs(limits, outputs);
  const models = [];
  for (const name of names) {
    const requests =
      dataset === undefined
        ? requestsOf(name, samples)
        : readDataset(resolve(comparison.cwd, dataset), await describeModel(reference, name));
    const options = { limits: mergedLimits(limitsOf(name), limits), batchSize };
    models.push(await measureDrift(name, reference, candidate, requests, options));
  }
  return {
    formatVersion: driftReportFormatVersion,
    reference: reference.name,
    candidate: candidate.name,
    dataset:
      dataset ?? `the samples ${[...new Set(names.map((name) => samples.get(name)?.from))].join(" and ")}`,
    ok: models.every(({ failures }) => failures.length === 0),
    models,
  };
};

const outputsOf = async (model: string, variants: readonly Variant[]): Promise<readonly string[]> => {
  const all = await Promise.all(variants.map((variant) => variant.metadata(model)));
  return [...new Set(all.flatMap(({ outputs }) => outputs.map(({ name }) => name)))];
};

interface FoundSamples {
  readonly samples: readonly VariantSample[];
  readonly from: "of the definition" | "in the warmup of the build";
}

const noSamples: ReadonlyMap<string, FoundSamples> = new Map();

/** For each model, the samples of the first variant that has any, or else those of the project. */
const samplesOf = async (
  models: readonly string[],
  variants: readonly Variant[],
  { projectSamples }: Comparison,
): Promise<ReadonlyMap<string, FoundSamples>> => {
  const found = new Map<string, FoundSamples>();
  const add = (all: readonly VariantSample[], from: FoundSamples["from"]): void => {
    for (const model of models.filter((one) => !found.has(one))) {
      const samples = all.filter(({ ensemble }) => ensemble === model);
      if (samples.length > 0) found.set(model, { samples, from });
    }
  };
  for (const { samples, isProject } of variants)
    add(samples, isProject ? "of the definition" : "in the warmup of the build");
  if (found.size < models.length && !variants.some(({ isProject }) => isProject))
    add(await projectSamples(), "of the definition");
  return found;
};

const requestsOf = (model: string, found: ReadonlyMap<string, FoundSamples>): readonly PlacedRequest[] => {
  const { samples } = found.get(model) ?? {};
  if (samples === undefined) throw cliError("drift/no-requests", { model });
  return samples.map(({ name, inputs }) => ({ where: name, inputs }));
};

/** The models that can be compared, with a notice about the others. @param named Whether another model is an error. */
const comparable = async (
  models: readonly string[],
  variants: readonly Variant[],
  named: boolean,
  notice: (text: string) => void,
): Promise<readonly string[]> => {
  const refused = new Map<string, PipelineError>();
  for (const model of models)
    for (const variant of variants) {
      const why = whyRefused(model, await servedConfigs(variant, model));
      if (why !== undefined) refused.set(model, why);
    }
  const [first] = refused.values();
  if (first === undefined) return models;
  if (named || refused.size === models.length) throw first;
  notice(`not compared, because they stream or have sequences: ${list([...refused.keys()])}`);
  return models.filter((model) => !refused.has(model));
};

const whyRefused = (model: string, configs: ServedConfigs): PipelineError | undefined => {
  const values = { model, command: "drift" };
  if (haveSequences(configs)) return cliError("request/sequences", values);
  const help = "for text generation, compare the same ensemble without `stream: true`";
  return isDecoupled(configs.get(model) ?? {}) ? cliError("request/streams", values, { help }) : undefined;
};

/** The models that have samples, with a notice about the others; all models if none has any. */
const withSamples = (
  models: readonly string[],
  samples: ReadonlyMap<string, FoundSamples>,
  notice: (text: string) => void,
): readonly string[] => {
  const found = models.filter((model) => samples.has(model));
  const others = models.filter((model) => !samples.has(model));
  if (found.length === 0 || others.length === 0) return models;
  notice(`not compared, because there are no samples: ${list(others)}; name a file with --dataset`);
  return found;
};

const chosenModels = (
  reference: Variant,
  candidate: Variant,
  wanted: readonly string[],
): readonly string[] => {
  for (const name of wanted)
    for (const { name: variant, models } of [reference, candidate]) {
      if (models === undefined || models.includes(name)) continue;
      throw usage(`${variant} has no \`${name}\``, guessHelp(name, models, `it has ${list(models)}`));
    }
  return wanted;
};

const commonModels = (
  reference: Variant,
  candidate: Variant,
  notice: (text: string) => void,
): readonly string[] => {
  const all = [...new Set([...(reference.models ?? []), ...(candidate.models ?? [])])];
  if (all.length === 0) throw usage("which model should be compared?", "name it: --model embed");
  const common = all.filter((name) =>
    [reference, candidate].every(({ models }) => models === undefined || models.includes(name)),
  );
  if (common.length === 0)
    throw usage(
      `the variants have no ensemble in common: ${reference.name} has ${list(reference.models ?? [])}, ${candidate.name} has ${list(candidate.models ?? [])}`,
      "compare variants of one pipeline",
    );
  for (const { name, models = [] } of [reference, candidate]) {
    const own = models.filter((model) => !common.includes(model));
    if (own.length > 0) notice(`only ${name} has ${list(own)}: not compared`);
  }
  return common;
};

/** Leaves out, with a notice, ensembles that cannot differ. */
const affectedModels = (
  models: readonly string[],
  affected: readonly string[] | undefined,
  notice: (text: string) => void,
): readonly string[] => {
  if (affected === undefined) return models;
  const chosen = models.filter((model) => affected.includes(model));
  if (chosen.length === 0 || chosen.length === models.length) return models;
  const others = models.filter((model) => !affected.includes(model));
  notice(`not compared, because the variants only differ in models that these do not use: ${list(others)}`);
  return chosen;
};

const list = (names: readonly string[]): string => inBackticks(names) || "none";
