import { PipelineError } from "@tritype/core";

/** Of models to load, the errors of those that could not be loaded. */
export const loadErrors = (
  names: Iterable<string>,
  problems: ReadonlyMap<string, string>,
  failures: ReadonlyMap<string, PipelineError>,
): ReadonlyMap<string, PipelineError> => {
  const errors = new Map<string, PipelineError>();
  for (const name of names) {
    const [problem, failure] = [problems.get(name), failures.get(name)];
    if (problem !== undefined)
      errors.set(name, new PipelineError("request/invalid", `load failed for model '${name}': ${problem}\n`));
    else if (failure !== undefined)
      errors.set(
        name,
        new PipelineError(
          "repository/invalid",
          `failed to load '${name}', failed to poll from model repository`,
          { cause: failure, help: failure.message },
        ),
      );
  }
  return errors;
};

/** Source: `ValidateModelName` of Triton core, releases after 24.10. @throws PipelineError `request/invalid` */
export const checkModelPath = (name: string): void => {
  if (name.trim() === "")
    throw new PipelineError(
      "request/invalid",
      "Model name cannot be empty. Please enter a valid name to deploy.",
    );
  if (name.trim() === ".." || /[/\\]/.test(name))
    throw new PipelineError(
      "request/invalid",
      `invalid model name '${name}', model name must not contain path traversal characters`,
    );
};
