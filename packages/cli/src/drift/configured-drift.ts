import { resolve } from "node:path";
import { type DriftLimitsByOutput, type DriftReport } from "@tritype/drift";
import { guessHelp } from "@tritype/core";
import type { DriftGate } from "@tritype/dsl";
import type { CompiledProject, Project } from "@tritype/project";
import { usage } from "../command.ts";
import { compareVariants, defaultBatchSize } from "./compare-variants.ts";
import { refuseUnknownOutputs } from "./given-limits.ts";
import { openCompiled, type OpenOptions, openPair, openVariant, type Variant } from "./open-variant.ts";

export interface ConfiguredDriftOptions extends Pick<OpenOptions, "notice" | "pythonCommand"> {
  /** These limits take precedence over those in the configuration. */
  readonly limits?: DriftLimitsByOutput;
  readonly batchSize?: number;
}

/**
 * The configured `drift` comparisons, one report for each ensemble.
 * @throws PipelineError `usage/invalid` if there are none, or if one names an ensemble that does not exist.
 */
export const configuredDrift = async (
  project: Project,
  compiled: CompiledProject,
  options: ConfiguredDriftOptions,
): Promise<readonly DriftReport[]> => {
  const gates = Object.entries(compiled.settings.drift);
  if (gates.length === 0)
    throw usage(
      "`pipeline drift` needs two variants to compare",
      "name two variants (`pipeline drift before after`), make one (`--make int8`), or write `drift` into pipeline.config.ts",
    );
  refuseUnknownEnsembles(compiled);
  const { build } = compiled.compilation;
  const gated = build?.manifest.ensembles.filter(({ name }) => gates.some(([ensemble]) => ensemble === name));
  const outputs = gated?.flatMap((one) => Object.keys(one.outputs));
  if (outputs !== undefined) refuseUnknownOutputs(options.limits ?? {}, outputs);
  const reports: DriftReport[] = [];
  for (const [ensemble, gate] of gates)
    reports.push(await gateReport(project, compiled, ensemble, gate, options));
  return reports;
};

/** @throws PipelineError `usage/invalid` */
export const refuseUnknownEnsembles = ({ settings, ensembles }: CompiledProject): void => {
  for (const ensemble of Object.keys(settings.drift)) {
    if (ensembles.includes(ensemble)) continue;
    throw usage(
      `\`drift\` in the configuration names \`${ensemble}\`, which is not an ensemble of the project`,
      guessHelp(ensemble, ensembles, `its ensembles are ${ensembles.join(", ")}`),
    );
  }
};

/** Compares one ensemble of a compiled project with the reference of its gate. */
export const gateReport = async (
  project: Project,
  compiled: CompiledProject,
  ensemble: string,
  gate: DriftGate,
  { notice, pythonCommand, limits = {}, batchSize = defaultBatchSize }: ConfiguredDriftOptions,
): Promise<DriftReport> => {
  const options: OpenOptions = { cwd: project.root, notice, pythonCommand };
  const { reference, candidate, close } = await openPair(
    () => openReference(project, compiled, gate, options),
    () => openCompiled("the project", project, compiled, options),
  );
  try {
    const report = await compareVariants(reference, candidate, {
      models: [ensemble],
      dataset: gate.dataset === undefined ? undefined : resolve(project.root, gate.dataset),
      projectSamples: async () => [],
      limitsOf: () => gate.limits,
      limits,
      needsOutputs: false,
      batchSize,
      cwd: project.root,
      notice,
    });
    return { ...report, dataset: gate.dataset ?? report.dataset };
  } finally {
    await close();
  }
};

const openReference = (
  project: Project,
  compiled: CompiledProject,
  { reference }: DriftGate,
  options: OpenOptions,
): Promise<Variant> => {
  if (typeof reference === "string") return openVariant(reference, options);
  const models = Object.entries(reference.models);
  const name = `the project with ${models.map(([model, file]) => `${file} in ${model}`).join(", ")}`;
  return openCompiled(name, project, compiled, options, new Map(models));
};
