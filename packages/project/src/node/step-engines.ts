import { engineOf, type FunctionSettings, readOptionPlaces } from "@tritype/compiler";
import { siteSpan, type Span, type StepDefinition } from "@tritype/core";
import type { FunctionEngine } from "@tritype/dsl";
import { sourceReader } from "../project-error.ts";

/** The engine that runs a step's function in Triton, and where this was chosen. */
export interface StepEngine {
  readonly step: string;
  readonly engine: FunctionEngine;
  /** The step's own option, the project's `functions.engine`, or neither; a flow always runs on Node. */
  readonly by: "step" | "project" | "default" | "flow";
  /** The position of the step's definition, or of its option; undefined if unknown. */
  readonly at: Span | undefined;
}

/** The engines of function steps, in the order of the steps. */
export const stepEngines = (
  root: string,
  steps: readonly Pick<StepDefinition, "kind" | "name" | "options" | "site">[],
  settings: FunctionSettings,
): readonly StepEngine[] => {
  const read = sourceReader(root);
  return steps.map(({ kind, name, options, site }) => {
    const engine = engineOf({ kind, options }, settings);
    const call = siteSpan(site);
    if (kind === "flow") return { step: name, engine, by: "flow", at: call };
    if (options["engine"] === undefined)
      return { step: name, engine, by: engine === "python" ? "default" : "project", at: call };
    const source = call === undefined ? undefined : read(call.file);
    const written =
      call === undefined || source === undefined
        ? undefined
        : readOptionPlaces(source, call).get("engine")?.span;
    return { step: name, engine, by: "step", at: written ?? call };
  });
};
