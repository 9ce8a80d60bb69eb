import { type Diagnostic, showDims, siteSpan, type StepDefinition } from "@tritype/core";
import type { PlannedEnsemble } from "./plan-ensemble.ts";
import { definedAt } from "./check-declaration.ts";
import { diagnose } from "./diagnostics.ts";
import type { Program } from "./program.ts";

/** What can be said once it is known which models there will be. */
export const checkModels = (
  program: Program,
  plans: ReadonlyMap<string, PlannedEnsemble>,
): readonly Diagnostic[] => {
  const owners = new Map<string, StepDefinition>([...program.steps, ...program.ensembles]);
  const diagnostics: Diagnostic[] = [];
  for (const { definition, plan } of plans.values())
    for (const { name, region } of plan.regions) {
      const other = owners.get(name);
      if (other !== undefined)
        diagnostics.push(
          diagnose("model/duplicate-name", {
            with: { name },
            labels: [
              ...definedAt(other),
              ...region.nodes.slice(-1).flatMap(({ site }) => {
                const span = siteSpan(site);
                return span === undefined
                  ? []
                  : [{ span, text: "this tensor math becomes a model of that name" }];
              }),
            ],
            help: `rename the step: \`${name}\` is the model of tensor math in \`${definition.name}\``,
          }),
        );
      else owners.set(name, definition);
      diagnostics.push(
        ...emptyBatches(
          definition,
          region.outputs.map(({ node }) => node),
        ),
      );
    }
  return diagnostics;
};

/** An unbatched scalar between models cannot be a Triton tensor. */
const emptyBatches = (
  definition: PlannedEnsemble["definition"],
  ids: readonly string[],
): readonly Diagnostic[] =>
  definition.graph.nodes.flatMap((node) =>
    node.kind === "operator" && ids.includes(node.id)
      ? Object.entries(node.outputs)
          .filter(([, type]) => type.dims.length === 0)
          .map(([name, type]) =>
            diagnose("shape/scalar", {
              with: {
                owner: definition.name,
                name: `${node.id}.${name}`,
                type: `${type.dtype}${showDims(type.dims)}`,
              },
              labels: node.site.slice(0, 1).map((span) => ({ span, text: "made here" })),
            }),
          )
      : [],
  );
