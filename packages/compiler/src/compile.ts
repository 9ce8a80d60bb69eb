import {
  type Diagnostic,
  hasErrors,
  type Site,
  sortDiagnostics,
  type Signature,
  type StepDefinition,
  verifyGraph,
} from "@tritype/core";
import type { CallSite, StepRecord } from "@tritype/dsl";
import type { TritonRelease } from "@tritype/triton";
import { checkBatch } from "./check-batch.ts";
import { checkDeclaration, isBatched, ownMaxBatchSize } from "./check-declaration.ts";
import { checkGraph } from "./check-graph.ts";
import { checkModels } from "./check-models.ts";
import type { CompilerHost } from "./compiler-host.ts";
import { diagnose } from "./diagnostics.ts";
import { definedAt } from "./check-declaration.ts";
import { emitBuild } from "./emit-build.ts";
import { inferGraph } from "./infer-graph.ts";
import type { Manifest } from "./manifest.ts";
import { onnxKind } from "./onnx-kind.ts";
import { type EnsemblePlan, planEnsemble } from "./plan-ensemble.ts";
import { collectProgram, type EnsembleDefinition, type Program } from "./program.ts";
import { pruneGraph } from "./prune-graph.ts";
import { separateOutputs } from "./separate-outputs.ts";
import type { StepContext, StepKind } from "./step-kind.ts";
import { tokenizerKind } from "./tokenizer/tokenizer-kind.ts";
import type { Tree } from "./tree.ts";

export interface CompileOptions {
  readonly host: CompilerHost;
  /** Where in the user's files something was recorded. */
  readonly siteOf: (site: CallSite) => Site;
  readonly release: TritonRelease;
  /** The author's own kinds, beside the built-in ones. */
  readonly stepKinds?: readonly StepKind[];
}

/** A build as values: files relative to the build folder, or only diagnostics when one of them is an error. */
export interface Compilation {
  readonly diagnostics: readonly Diagnostic[];
  readonly build: { readonly tree: Tree; readonly manifest: Manifest } | undefined;
}

export const builtInKinds: readonly StepKind[] = [onnxKind, tokenizerKind];

/** Compiles what the user exported: trace → graph → infer → check → plan → emit. Never throws for the author's mistakes. */
export const compile = (exported: readonly StepRecord[], options: CompileOptions): Compilation => {
  const { release } = options;
  const kinds = new Map([...builtInKinds, ...(options.stepKinds ?? [])].map((kind) => [kind.kind, kind]));
  const collected = collectProgram(exported, options.siteOf, options.host);
  const inferred = inferProgram(collected.program);
  const program = inferred.program;
  const plans = new Map<string, PlannedEnsemble>();
  const found = [
    ...collected.diagnostics,
    ...inferred.diagnostics,
    ...[...program.steps.values(), ...program.ensembles.values()].flatMap(checkDeclaration),
    ...[...program.ensembles.values()].flatMap((ensemble) => [
      ...checkGraph(ensemble),
      ...checkBatch(ensemble, program),
    ]),
    ...[...program.steps.values()].flatMap((step) =>
      checkStep(step, kinds, contextOf(step, program, options.host, release)),
    ),
  ];
  if (!hasErrors(found)) {
    for (const ensemble of program.ensembles.values()) plans.set(ensemble.name, planOf(ensemble));
    found.push(...checkModels(program, plans));
  }
  const diagnostics = sortDiagnostics(dedupe(found));
  if (hasErrors(diagnostics)) return { diagnostics, build: undefined };
  const emitted = emitBuild({
    program,
    plans,
    kinds,
    host: options.host,
    release,
    contextOf: (step) => contextOf(step, program, options.host, release),
  });
  const all = sortDiagnostics([...diagnostics, ...emitted.diagnostics]);
  return { diagnostics: all, build: hasErrors(all) ? undefined : emitted.build };
};

/** An ensemble with its final graph and the models it becomes. */
export interface PlannedEnsemble {
  readonly definition: EnsembleDefinition;
  readonly plan: EnsemblePlan;
}

const planOf = (ensemble: EnsembleDefinition): PlannedEnsemble => {
  const graph = separateOutputs(pruneGraph(ensemble.graph));
  verifyGraph(graph, "separate-outputs");
  return { definition: { ...ensemble, graph }, plan: planEnsemble(ensemble.name, graph) };
};

/** Infers every ensemble, callees first, so that a nested ensemble's outputs are what the compiler worked out. */
const inferProgram = (
  program: Program,
): { readonly program: Program; readonly diagnostics: readonly Diagnostic[] } => {
  const diagnostics: Diagnostic[] = [];
  const ensembles = new Map<string, EnsembleDefinition>();
  for (const ensemble of program.ensembles.values()) {
    const { graph, diagnostics: found } = inferGraph(
      ensemble.graph,
      (step) => ensembles.get(step) ?? program.steps.get(step) ?? { inputs: {}, outputs: {} },
    );
    verifyGraph(graph, "infer");
    diagnostics.push(...found);
    const types = new Map(graph.nodes.map((node) => [node.id, node.outputs]));
    const outputs: Signature = Object.fromEntries(
      Object.entries(graph.outputs).flatMap(([name, port]) => {
        const type = types.get(port.node)?.[port.output];
        return type === undefined ? [] : [[name, type]];
      }),
    );
    ensembles.set(ensemble.name, { ...ensemble, graph, outputs });
  }
  return { program: { steps: program.steps, ensembles }, diagnostics };
};

const checkStep = (
  step: StepDefinition,
  kinds: ReadonlyMap<string, StepKind>,
  context: StepContext,
): readonly Diagnostic[] => {
  const kind = kinds.get(step.kind);
  if (kind === undefined)
    return [
      diagnose("step/unknown-kind", { with: { step: step.name, kind: step.kind }, labels: definedAt(step) }),
    ];
  return kind.check?.(step, context) ?? [];
};

const contextOf = (
  step: StepDefinition,
  program: Program,
  host: CompilerHost,
  release: TritonRelease,
): StepContext => {
  const batched = isBatched(step);
  const callers = [...program.ensembles.values()].filter(({ graph }) =>
    graph.nodes.some((node) => node.kind === "step" && node.step === step.name),
  );
  const largest = Math.max(0, ...callers.map((ensemble) => ownMaxBatchSize(ensemble) ?? 0));
  return { host, release, batched, maxBatchSize: batched ? (ownMaxBatchSize(step) ?? largest) : 0 };
};

/** A mistake in a declaration that several ensembles use is said once. */
const dedupe = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => [
  ...new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values(),
];
