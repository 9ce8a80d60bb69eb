import type { Diagnostic, Graph, Site, StepDefinition } from "@tritype/core";
import type { CallSite, StepRecord } from "@tritype/dsl";
import type { CompilerHost } from "../compiler-host.ts";
import { diagnose } from "../diagnostics.ts";
import { type GraphRecipe, traceGraph, type Unwired } from "./trace-graph.ts";

/** An ensemble as plain data: its declaration and what `run` recorded. */
export interface EnsembleDefinition extends StepDefinition {
  readonly graph: Graph;
  readonly unwired: Unwired;
  readonly recipes: readonly GraphRecipe[];
  /** Mistakes found so far; what follows from them is not said. */
  readonly diagnostics: readonly Diagnostic[];
}

/** All that the exported ensembles reach: each step once, ensembles after the ensembles they call. */
export interface Program {
  readonly steps: ReadonlyMap<string, StepDefinition>;
  readonly ensembles: ReadonlyMap<string, EnsembleDefinition>;
}

/** Turns recorded definitions into plain data and gives every node its stable id. */
export const collectProgram = (
  exported: readonly StepRecord[],
  siteOf: (site: CallSite) => Site,
  host: CompilerHost,
): { readonly program: Program; readonly diagnostics: readonly Diagnostic[] } => {
  const records = new Map<string, StepRecord>();
  const steps = new Map<string, StepDefinition>();
  const ensembles = new Map<string, EnsembleDefinition>();
  const diagnostics: Diagnostic[] = [];

  const visit = (record: StepRecord): void => {
    const known = records.get(record.name);
    if (known === record) return;
    if (known !== undefined) {
      diagnostics.push(
        diagnose("model/duplicate-name", {
          with: { name: record.name },
          labels: [
            ...siteOf(record.site)
              .slice(0, 1)
              .map((span) => ({ span, text: "defined here" })),
            ...siteOf(known.site)
              .slice(0, 1)
              .map((span) => ({ span, text: "and here" })),
          ],
        }),
      );
      return;
    }
    records.set(record.name, record);
    const { name, kind, inputs, outputs, options } = record;
    const definition: StepDefinition = { name, kind, inputs, outputs, options, site: siteOf(record.site) };
    if (record.trace === undefined) {
      steps.set(name, definition);
      return;
    }
    for (const node of record.trace.nodes) if (node.kind === "step") visit(node.step);
    ensembles.set(name, { ...definition, ...traceGraph(record.name, record.trace, siteOf, host) });
  };
  for (const record of exported) visit(record);
  return { program: { steps, ensembles }, diagnostics };
};

/** Which ensembles call a step, by the step's name. */
export const findCallers = (program: Program): ((step: string) => readonly EnsembleDefinition[]) => {
  const callers = new Map<string, Set<EnsembleDefinition>>();
  for (const ensemble of program.ensembles.values())
    for (const node of ensemble.graph.nodes)
      if (node.kind === "step") callers.set(node.step, (callers.get(node.step) ?? new Set()).add(ensemble));
  return (step) => [...(callers.get(step) ?? [])];
};
