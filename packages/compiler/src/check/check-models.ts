import { type Diagnostic, type Port, showType, type StepDefinition } from "@tritype/core";
import { checkModelName } from "@tritype/triton";
import type { PlannedEnsemble } from "../emit/plan-ensemble.ts";
import { definedAt } from "./check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import { labels } from "../graph/infer-graph.ts";
import { portKey } from "../graph/port-key.ts";
import type { EnsembleDefinition, Program } from "../graph/program.ts";

/** The checks that need the list of all models. */
export const checkModels = (
  program: Program,
  plans: ReadonlyMap<string, PlannedEnsemble>,
): readonly Diagnostic[] => {
  const owners = new Map<string, StepDefinition>([...program.steps, ...program.ensembles]);
  const diagnostics: Diagnostic[] = [];
  for (const { definition, plan } of plans.values()) {
    diagnostics.push(
      ...scalarOutputs(
        definition,
        plan.regions.flatMap(({ region }) => region.outputs),
      ),
    );
    for (const { name, region } of plan.regions) {
      const problem = checkModelName(name);
      if (problem !== undefined)
        diagnostics.push(
          diagnose("model/bad-name", {
            with: { name: name.length > 60 ? `${name.slice(0, 60)}…` : name, problem },
            labels: region.nodes
              .slice(-1)
              .flatMap((node) => labels(node, "this tensor math becomes a model of that name")),
            help: `shorten the name of \`${definition.name}\` or of its output: models of tensor math are named after both`,
          }),
        );
      const other = owners.get(name);
      if (other !== undefined)
        diagnostics.push(
          diagnose("model/duplicate-name", {
            with: { name },
            labels: [
              ...definedAt(other),
              ...region.nodes
                .slice(-1)
                .flatMap((node) => labels(node, "this tensor math becomes a model of that name")),
            ],
            help:
              other.kind === "ensemble"
                ? `rename an ensemble or its output: \`${name}\` is the model of tensor math in \`${definition.name}\``
                : `rename the step: \`${name}\` is the model of tensor math in \`${definition.name}\``,
          }),
        );
      else owners.set(name, definition);
    }
  }
  return diagnostics;
};

/** A Triton tensor has at least one dim; scalars are only allowed inside a region. */
const scalarOutputs = (
  { graph, name }: EnsembleDefinition,
  ports: readonly Port[],
): readonly Diagnostic[] => {
  const made = new Map(graph.nodes.map((node) => [node.id, node]));
  const outputs = new Map(Object.entries(graph.outputs).map(([output, port]) => [portKey(port), output]));
  return ports.flatMap((port) => {
    const node = made.get(port.node);
    const type = node?.outputs[port.output];
    return node === undefined || type === undefined || type.dims.length > 0
      ? []
      : [
          diagnose("shape/scalar", {
            with: { owner: name, name: outputs.get(portKey(port)) ?? node.id, type: showType(type) },
            labels: labels(node, "created here"),
          }),
        ];
  });
};
