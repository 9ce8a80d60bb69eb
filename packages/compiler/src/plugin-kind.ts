import { hasErrors, type Label, PipelineError, type Site, type StepDefinition } from "@tritype/core";
import { definedAt } from "./check/check-declaration.ts";
import { diagnose } from "./diagnostics.ts";
import type { Found, ReadStep, StepContext, StepKind, StepModel } from "./step-kind.ts";
import { showValue } from "./warmup/show-value.ts";

/** The positions that a plugin's failures refer to. */
export interface PluginPlaces {
  /** The position at which the project lists the kind. */
  readonly listed: readonly Label[];
  /** The user's frames of an error's stack, innermost first. */
  readonly siteOf: (error: Error) => Site;
}

/**
 * A step kind from outside of tritype. If its `read` throws, or returns something that the compiler cannot use, this is an error in
 * the plugin, not a bug in tritype.
 */
export const pluginKind = (kind: StepKind, places: PluginPlaces): StepKind =>
  Object.create(kind, {
    read: { value: (step: StepDefinition, context: StepContext) => readPlugin(kind, step, context, places) },
  }) as StepKind;

const readPlugin = (
  kind: StepKind,
  step: StepDefinition,
  context: StepContext,
  { listed, siteOf }: PluginPlaces,
): Found<ReadStep> => {
  const failed = (problem: string, thrownAt: readonly Label[] = [], notes: readonly string[] = []) => ({
    diagnostics: [
      diagnose("step/bad-kind", {
        with: { kind: kind.kind, step: step.name, problem },
        labels: [...thrownAt, ...definedAt(step), ...listed],
        notes,
      }),
    ],
  });
  try {
    const { diagnostics, value } = (kind.read(step, context) ?? {}) as Partial<Found<ReadStep>>;
    if (!Array.isArray(diagnostics)) return failed("its `read` returned no list of `diagnostics`");
    if (hasErrors(diagnostics)) return { diagnostics };
    if (typeof value?.model !== "function")
      return failed("its `read` returned neither an error nor a `value` with `model()`");
    // The compiler calls it again, with options that depend on the other steps.
    const problem = modelProblem(value.model({ holdErrors: false, namesOf: () => undefined }));
    return problem === undefined ? { diagnostics, value } : failed(problem);
  } catch (error) {
    if (PipelineError.is(error)) throw error;
    const [span] = error instanceof Error ? siteOf(error) : [];
    const thrown = `it threw ${String(error)}`;
    if (span !== undefined) return failed(thrown, [{ span, text: "thrown here" }]);
    const frame = error instanceof Error ? /^ {4}at .+$/m.exec(error.stack ?? "")?.[0] : undefined;
    return failed(thrown, [], frame === undefined ? [] : [`thrown ${frame.trim()}`]);
  }
};

const modelProblem = (model: Partial<StepModel> | undefined): string | undefined => {
  if (typeof model?.config?.backend !== "string")
    return "its `model()` returned no `config` with a `backend`";
  if (!(model.files instanceof Map)) return "its `model()` returned no map of `files`";
  const numbers: readonly unknown[] = [...(model.versions?.keys() ?? [])];
  const wrong = numbers.findIndex((number) => !(Number.isSafeInteger(number) && Number(number) > 0));
  return wrong < 0
    ? undefined
    : `its \`model()\` returned the version ${showValue(numbers[wrong])}; a version must be a whole number of at least 1`;
};
