import { dtypeOfConfigName } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";

/**
 * Why Triton would not even look at the model's files, in its words; undefined when it would. Only what this runtime relies on.
 * @param config Completed.
 * Source: `ValidateModelConfig` and `ValidateModelIOConfig` of Triton core.
 */
export const configProblem = (config: ModelConfig, folder: string): string | undefined => {
  for (const problem of problems(config, folder)) return problem;
  return undefined;
};

function* problems(config: ModelConfig, folder: string): Generator<string> {
  const { name = "", platform = "", backend = "" } = config;
  if (platform === "ensemble") {
    if (backend !== "")
      yield `Ensemble model '${name}' must have platform type 'ensemble' and empty backend type`;
  } else if (backend === "")
    yield platform === ""
      ? `Invalid model name: Could not determine backend for model '${name}' with no backend in model configuration. Expected model name of the form 'model.<backend_name>'.`
      : `unexpected platform type '${platform}' for ${name}`;
  if ((config.max_batch_size ?? 0) < 0) yield `'max_batch_size' must be non-negative value for ${name}`;
  if (platform !== "ensemble" && config.ensemble_scheduling !== undefined)
    yield `ensemble scheduling cannot be set for model '${name}' whose platform is not ensemble`;
  for (const side of ["input", "output"] as const)
    for (const port of config[side] ?? []) yield* portProblems(side, port, name);
  if (name !== folder)
    yield `unexpected directory name '${folder}' for model '${name}', directory name must equal model name`;
}

interface PortConfig {
  readonly name?: string;
  readonly data_type?: string;
  readonly dims?: readonly number[];
}

function* portProblems(
  side: string,
  { name = "", data_type = "", dims = [] }: PortConfig,
  model: string,
): Generator<string> {
  const port = `model ${side} '${name}'`;
  if (name === "") yield `model ${side} must specify 'name' for ${model}`;
  if (dtypeOfConfigName(data_type) === undefined) yield `${port} must specify 'data_type' for ${model}`;
  if (dims.length === 0) yield `${port} must specify 'dims' for ${model}`;
  if (dims.some((dim) => dim < 1 && dim !== -1))
    yield `${port} dimension must be integer >= 1, or -1 to indicate a variable-size dimension for ${model}`;
}
