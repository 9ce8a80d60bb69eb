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
import { outlivesFailures, type TritonRelease } from "@tritype/triton";
import { customKind } from "./backends/custom-kind.ts";
import { openvinoKind } from "./backends/openvino-kind.ts";
import { checkBatch } from "./check/check-batch.ts";
import {
  checkDeclaration,
  checkDims,
  checkEnsembleDeclaration,
  definedAt,
  isBatched,
  ownMaxBatchSize,
} from "./check/check-declaration.ts";
import { checkGraph } from "./check/check-graph.ts";
import { checkOptionNames, ensembleOptions } from "./check/check-option-names.ts";
import { checkModels } from "./check/check-models.ts";
import { checkTokens } from "./check/check-tokens.ts";
import { checkCollate } from "./collate/check-collate.ts";
import { collateKind } from "./collate/collate-kind.ts";
import { type CollatedEnsemble, collatedEnsemble } from "./collate/collated-ensemble.ts";
import { splitEnsembles } from "./collate/split-ensembles.ts";
import type { CompilerHost } from "./compiler-host.ts";
import { diagnose } from "./diagnostics.ts";
import type { DockerOptions } from "./emit/docker/docker-options.ts";
import { detokenizerKind } from "./detokenizer/detokenizer-kind.ts";
import { emitBuild } from "./emit/emit-build.ts";
import type { AppendOptions } from "./emit/emitted-model.ts";
import { emitAlone, type EmittedRepository } from "./emit/emitted-repository.ts";
import { inferGraph } from "./graph/infer-graph.ts";
import type { Manifest } from "@tritype/manifest";
import { generateKind } from "./generate/generate-kind.ts";
import { onnxKind } from "./onnx/onnx-kind.ts";
import { type PlannedEnsemble, planEnsemble } from "./emit/plan-ensemble.ts";
import { findRefusals } from "./graph/find-refusals.ts";
import { startedBeforeOthers } from "./emit/started-before-others.ts";
import { collectProgram, type EnsembleDefinition, findCallers, type Program } from "./graph/program.ts";
import { pruneGraph } from "./graph/prune-graph.ts";
import { separateOutputs } from "./graph/separate-outputs.ts";
import { checkProfiles } from "./profiles/check-profiles.ts";
import type { Profiles } from "./profiles/in-profile.ts";
import { pythonKind } from "./python/python-kind.ts";
import type { StepContext, StepKind } from "./step-kind.ts";
import { tensorrtKind } from "./tensorrt/tensorrt-kind.ts";
import { tokenizerKind } from "./tokenizer/tokenizer-kind.ts";
import { torchscriptKind } from "./torchscript/torchscript-kind.ts";
import type { Tree } from "./tree.ts";
import type { CapturedWarmup } from "./warmup/captured-warmup.ts";
import { type EnsembleSample, ensembleSamples } from "./warmup/ensemble-samples.ts";

export interface CompileOptions {
  readonly host: CompilerHost;
  /** Where in the user's files something was recorded. */
  readonly siteOf: (site: CallSite) => Site;
  readonly release: TritonRelease;
  /** The user's own kinds, in addition to the built-in ones. */
  readonly stepKinds?: readonly StepKind[];
  /** The faults found in the user's sources. Default: nothing. */
  readonly found?: readonly Diagnostic[] | undefined;
  /** The result of running `samples` of the same compilation; with it, the build warms up its models. */
  readonly warmup?: CapturedWarmup | undefined;
  /** Adds versions to those of the last build. Default: one fresh tree. */
  readonly append?: AppendOptions | undefined;
  /** Configurations that every model gets in addition to its own: name → the overridden fields. Default none. */
  readonly profiles?: Profiles | undefined;
  /** How the container is made; false for none. Default: from NVIDIA's images. */
  readonly docker?: DockerOptions | false | undefined;
}

/** A build as values: files relative to the build folder, or only diagnostics when one of them is an error. */
export interface Compilation {
  readonly diagnostics: readonly Diagnostic[];
  readonly build: CompiledBuild | undefined;
  /** For the rules about repositories: the build's, else the steps with nothing wrong so far. */
  readonly emitted: EmittedRepository;
}

export interface CompiledBuild {
  readonly tree: Tree;
  readonly manifest: Manifest;
  /** Requests of the ensembles' `warmup`. */
  readonly samples: readonly EnsembleSample[];
  /** The ensembles that batch by length: what is to be proven of them. */
  readonly collated: readonly CollatedEnsemble[];
}

export const builtInKinds: readonly StepKind[] = [
  collateKind,
  customKind,
  detokenizerKind,
  generateKind,
  onnxKind,
  openvinoKind,
  pythonKind,
  tensorrtKind,
  tokenizerKind,
  torchscriptKind,
];

/** Compiles what the user exported: trace → graph → infer → check → plan → emit. Never throws for the author's mistakes. */
export const compile = (exported: readonly StepRecord[], options: CompileOptions): Compilation => {
  const { release, profiles = {} } = options;
  const kinds = new Map([...builtInKinds, ...(options.stepKinds ?? [])].map((kind) => [kind.kind, kind]));
  const collected = collectProgram(exported, options.siteOf, options.host);
  const unreadable = [
    ...collected.diagnostics,
    ...[...collected.program.steps.values(), ...collected.program.ensembles.values()].flatMap(checkDims),
  ];
  if (hasErrors(unreadable))
    return {
      diagnostics: sortDiagnostics(dedupe([...(options.found ?? []), ...unreadable])),
      build: undefined,
      emitted: { tree: new Map(), models: [] },
    };
  const program = inferProgram(collected.program);
  const contexts = (callersOf: ReturnType<typeof findCallers>) => (step: StepDefinition) =>
    contextOf(step, callersOf(step.name), options.host, release);
  const context = contexts(findCallers(program));
  const steps = [...program.steps.values()];
  const ofSteps = new Map(
    steps.map((step) => [
      step,
      [
        ...checkDeclaration(step),
        ...checkOptionNames(step, kinds.get(step.kind)?.options),
        ...checkProfiles(step, profiles, kinds.get(step.kind)?.profileOptions),
        ...checkStep(step, kinds, context(step)),
      ],
    ]),
  );
  const emission = (of: Program, plans: ReadonlyMap<string, PlannedEnsemble>) => {
    const callersOf = findCallers(of);
    const early = startedBeforeOthers(new Map([...plans].map(([name, { plan }]) => [name, plan])));
    return {
      program: of,
      callersOf,
      plans,
      kinds,
      host: options.host,
      release,
      contextOf: contexts(callersOf),
      holdsErrors: (model: string) => !outlivesFailures(release) && early.has(model),
      captured: options.warmup,
      append: options.append,
      docker: options.docker ?? {},
      profiles,
    };
  };
  const failed = (found: readonly Diagnostic[]): Compilation => {
    const sound = steps.filter((step) => !hasErrors(ofSteps.get(step) ?? []) && isSized(context(step)));
    const alone = emitAlone(sound, { ...emission(program, new Map()), samples: [] });
    const diagnostics = sortDiagnostics(dedupe([...found, ...alone.diagnostics]));
    return { diagnostics, build: undefined, emitted: alone.repository };
  };
  const found = [
    ...(options.found ?? []),
    ...[...ofSteps.values()].flat(),
    ...[...program.ensembles.values()].flatMap((ensemble) => [
      ...checkEnsemble(ensemble, program),
      ...checkProfiles(ensemble, profiles),
    ]),
  ];
  if (hasErrors(found)) return failed(found);
  found.push(
    ...[...program.ensembles.values()].flatMap((one) => [
      ...checkTokens(one, program, kinds, context),
      ...checkCollate(one, program, options.host),
    ]),
  );
  if (hasErrors(found)) return failed(found);
  const planned = planProgram(program, kinds);
  found.push(...checkModels(planned.program, planned.plans));
  if (hasErrors(found)) return failed(found);
  const read = [...program.ensembles.values()].map(ensembleSamples);
  found.push(...read.flatMap((one) => one.diagnostics));
  if (hasErrors(found)) return failed(found);
  const samples = read.flatMap((one) => one.samples);
  const emitted = emitBuild({ ...emission(planned.program, planned.plans), samples });
  found.push(...emitted.diagnostics);
  if (hasErrors(found)) return failed(found);
  const collated = planned.split.map((one) => collatedEnsemble(one, planned.program, options.host));
  return {
    diagnostics: sortDiagnostics(dedupe(found)),
    build: { ...emitted.build, samples, collated },
    emitted: { tree: emitted.build.tree, models: emitted.models },
  };
};

/** Whether the batch size of a step is known: fields are judged by it. */
const isSized = ({ batched, maxBatchSize }: StepContext): boolean =>
  !batched || (Number.isInteger(maxBatchSize) && maxBatchSize > 0);

/** The models of a checked program; what batches by length is split. */
const planProgram = (program: Program, kinds: ReadonlyMap<string, StepKind>) => {
  const made = splitEnsembles(program);
  const refusalsOf = findRefusals(made.program, kinds);
  const plans = new Map<string, PlannedEnsemble>();
  for (const ensemble of made.program.ensembles.values())
    plans.set(ensemble.name, planOf(ensemble, refusalsOf));
  return { ...made, plans };
};

const planOf = (
  ensemble: EnsembleDefinition,
  refusalsOf: ReturnType<typeof findRefusals>,
): PlannedEnsemble => {
  const graph = separateOutputs(pruneGraph(ensemble.graph));
  verifyGraph(graph, "separate-outputs");
  const plan = planEnsemble(ensemble.behind ?? ensemble.name, graph, refusalsOf);
  return { definition: { ...ensemble, graph }, plan };
};

/** Infers every ensemble, callees first, so that a nested ensemble's outputs are what the compiler worked out. */
const inferProgram = (program: Program): Program => {
  const ensembles = new Map<string, EnsembleDefinition>();
  const signatureOf = (step: string): Pick<StepDefinition, "inputs" | "outputs"> =>
    ensembles.get(step) ?? program.steps.get(step) ?? { inputs: {}, outputs: {} };
  for (const ensemble of program.ensembles.values()) {
    const { graph, diagnostics } = inferGraph(ensemble, signatureOf);
    verifyGraph(graph, "infer");
    const types = new Map(graph.nodes.map((node) => [node.id, node.outputs]));
    const outputs: Signature = Object.fromEntries(
      Object.entries(graph.outputs).flatMap(([name, port]) => {
        const type = types.get(port.node)?.[port.output];
        return type === undefined ? [] : [[name, type]];
      }),
    );
    ensembles.set(ensemble.name, {
      ...ensemble,
      graph,
      outputs,
      diagnostics: [...ensemble.diagnostics, ...diagnostics],
    });
  }
  return { steps: program.steps, ensembles };
};

/** Checks in stages: what follows from an earlier mistake is not said. */
const checkEnsemble = (ensemble: EnsembleDefinition, program: Program): readonly Diagnostic[] => {
  const found = [
    ...ensemble.diagnostics,
    ...checkEnsembleDeclaration(ensemble),
    ...checkOptionNames(ensemble, ensembleOptions),
  ];
  if (hasErrors(found)) return found;
  const graph = checkGraph(ensemble);
  return [...found, ...graph, ...(hasErrors(graph) ? [] : checkBatch(ensemble, program))];
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
  callers: readonly EnsembleDefinition[],
  host: CompilerHost,
  release: TritonRelease,
): StepContext => {
  const batched = isBatched(step);
  const largest = Math.max(0, ...callers.map((ensemble) => ownMaxBatchSize(ensemble) ?? 0));
  const maxBatchSize = batched ? (ownMaxBatchSize(step) ?? largest) : 0;
  return { host, release, batched, maxBatchSize, holdErrors: false };
};

/** A mistake in a declaration that several ensembles use is said once. */
const dedupe = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => [
  ...new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values(),
];
