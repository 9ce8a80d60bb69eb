import {
  type Diagnostic,
  hasErrors,
  invariant,
  mapDefined,
  type OptionPlace,
  type Signature,
  type Site,
  sortDiagnostics,
  type StepDefinition,
  verifyGraph,
} from "@tritype/core";
import type { CallSite, StepRecord } from "@tritype/dsl";
import { outlivesFailures, type TritonRelease } from "@tritype/triton";
import { customKind } from "./backends/custom-kind.ts";
import { openvinoKind } from "./backends/openvino-kind.ts";
import { checkBatch, checkExportedBatch } from "./check/check-batch.ts";
import {
  checkDeclaration,
  checkDims,
  checkEnsembleDeclaration,
  definedAt,
  isBatched,
  ownMaxBatchSize,
} from "./check/check-declaration.ts";
import { checkGraph } from "./check/check-graph.ts";
import { checkOptionNames, ensembleForms } from "./check/check-option-names.ts";
import { checkOptionForms } from "./check/check-option-forms.ts";
import { checkModels } from "./check/check-models.ts";
import { checkPadding } from "./check/check-padding.ts";
import { checkSequences } from "./check/check-sequences.ts";
import { checkAnswersOnce, checkStreams } from "./check/check-streams.ts";
import { checkTokens, tokenPairings } from "./check/check-tokens.ts";
import { checkCollate } from "./collate/check-collate.ts";
import { collateKind } from "./collate/collate-kind.ts";
import { type CollatedEnsemble, collatedEnsembles } from "./collate/collated-ensemble.ts";
import { type SplitEnsemble, splitEnsembles } from "./collate/split-ensembles.ts";
import type { CompilerHost } from "./compiler-host.ts";
import { diagnose } from "./diagnostics.ts";
import type { DockerOptions } from "./emit/docker/docker-options.ts";
import { detokenizerKind } from "./detokenizer/detokenizer-kind.ts";
import { emitBuild } from "./emit/emit-build.ts";
import type { AppendOptions } from "./emit/emitted-model.ts";
import { emitAlone, type EmittedRepository } from "./emit/emitted-repository.ts";
import { fuseProgram } from "./fuse/fuse-program.ts";
import { findSequences } from "./graph/find-sequences.ts";
import { findStreams } from "./graph/find-streams.ts";
import { inferGraph } from "./graph/infer-graph.ts";
import type { Manifest } from "@tritype/manifest";
import { generateKind } from "./generate/generate-kind.ts";
import { onnxKind } from "./onnx/onnx-kind.ts";
import { type FusedCall, type PlannedEnsemble, planEnsemble } from "./emit/plan-ensemble.ts";
import { findRefusals } from "./graph/find-refusals.ts";
import { startedBeforeOthers } from "./emit/started-before-others.ts";
import {
  collectProgram,
  type EnsembleDefinition,
  findCallers,
  type OptionOverrides,
  type Program,
} from "./graph/program.ts";
import { pruneGraph } from "./graph/prune-graph.ts";
import { separateOutputs } from "./graph/separate-outputs.ts";
import { checkProfiles } from "./profiles/check-profiles.ts";
import type { Profiles } from "./profiles/in-profile.ts";
import { pythonKind } from "./python/python-kind.ts";
import { withoutConsequences } from "./source-findings.ts";
import type { Found, ProgramStep, ReadStep, ReadSteps, StepContext, StepKind } from "./step-kind.ts";
import { tensorrtKind } from "./tensorrt/tensorrt-kind.ts";
import { tokenizerKind } from "./tokenizer/tokenizer-kind.ts";
import { torchscriptKind } from "./torchscript/torchscript-kind.ts";
import type { Tree } from "./tree.ts";
import type { CapturedWarmup } from "./warmup/captured-warmup.ts";
import { type EnsembleSample, ensembleSamples } from "./warmup/ensemble-samples.ts";

export interface CompileOptions {
  readonly host: CompilerHost;
  /** The position in the user's files of a recorded definition or call. */
  readonly siteOf: (site: CallSite) => Site;
  readonly release: TritonRelease;
  /** The user's own step kinds, in addition to the built-in kinds. */
  readonly stepKinds?: readonly StepKind[];
  /** Faults found in the user's sources. Default: none. */
  readonly found?: readonly Diagnostic[] | undefined;
  /** The result of running the same compilation's `samples`; with it, the build warms up its models. */
  readonly warmup?: CapturedWarmup | undefined;
  /** Adds versions to those from the last build. Default: a fresh tree. */
  readonly append?: AppendOptions | undefined;
  /** Additional configurations of every model: name → the overridden fields. Default: none. */
  readonly profiles?: Profiles | undefined;
  /** The position of each profile in `pipeline.config.ts`. Default: unknown. */
  readonly profilePlaces?: OptionPlace["fields"] | undefined;
  /** Step or ensemble → options that replace those in the source; undefined removes an option. Default: none. */
  readonly overrides?: OptionOverrides | undefined;
  /** How the container is built; false for none. Default: from NVIDIA's images. */
  readonly docker?: DockerOptions | false | undefined;
}

/** A build as values: files relative to the build folder, or only diagnostics if one of them is an error. */
export interface Compilation {
  readonly diagnostics: readonly Diagnostic[];
  readonly build: CompiledBuild | undefined;
  /** The repository that the rules check: the build's or, without a build, that of the steps without errors so far. */
  readonly emitted: EmittedRepository;
}

export interface CompiledBuild {
  readonly tree: Tree;
  readonly manifest: Manifest;
  /** Requests from the ensembles' `warmup`. */
  readonly samples: readonly EnsembleSample[];
  /** The ensembles that batch by length, with the requirements for each proof. */
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

/**
 * Compiles the user's exports: trace → graph → infer → check → plan → emit. The author's mistakes never make it throw.
 */
export const compile = (exported: readonly StepRecord[], options: CompileOptions): Compilation => {
  const collected = collectProgram(exported, options.siteOf, options.host, options.overrides);
  const unreadable = [...collected.diagnostics, ...checkDims(collected.program)];
  if (hasErrors(unreadable)) return notBuilt([...(options.found ?? []), ...unreadable], nothingEmitted);
  const session = openSession(inferProgram(collected.program), options);
  const { found, result: build } = untilErrors(phases(session));
  if (build !== undefined) return { diagnostics: asReport(found), ...build };
  const alone = emitSound(session);
  return notBuilt([...found, ...alone.diagnostics], alone.repository);
};

/** A phase only runs if the earlier phases found no errors, so that consequences of an earlier mistake are not reported. */
function* phases(session: Session): Phases<Pick<Compilation, "emitted"> & { readonly build: CompiledBuild }> {
  const { program, options, kinds } = session;
  const { host } = options;
  const ensembles = [...program.ensembles.values()];
  yield [
    ...(options.found ?? []),
    ...session.found,
    ...ensembles.flatMap((one) => [...checkEnsemble(one, session), ...checkProfiles(one, session.profiles)]),
    ...[...program.exportedSteps.values()].flatMap((one) =>
      checkExportedBatch(one, session.callersOf(one.name)),
    ),
  ];
  const streamsOf = findStreams(program, session.steps);
  const tokens = ensembles.map((one) => tokenPairings(one, session.steps));
  yield [
    ...ensembles.flatMap((one, index) => [
      ...checkTokens(tokens[index] ?? []),
      ...checkCollate(one, program, host),
    ]),
    ...checkStreams(program, session.steps, streamsOf),
    ...checkSequences(program, streamsOf),
  ];
  const planned = planProgram(program, kinds);
  yield checkModels(planned.program, planned.plans);
  const fused = fuseProgram({ ...session, ...planned, host });
  yield fused.diagnostics;
  const read = sampled(session).map(([one, maxBatchSize]) => ensembleSamples(one, maxBatchSize));
  yield read.flatMap((one) => one.diagnostics);
  const samples = read.flatMap((one) => one.samples);
  const { requests = [] } = options.warmup ?? {};
  yield ensembles.flatMap((one) => checkPadding(one, session.steps, requests));
  const steps = new Map([...fused.steps, ...readCollates(planned.split, session)]);
  const emitted = emitBuild({
    ...emission(session, fused.program, steps, fused.plans),
    samples,
    fusion: fused.decisions,
  });
  yield emitted.diagnostics;
  const collated = collatedEnsembles(planned.split, host);
  return {
    build: { ...emitted.build, samples, collated },
    emitted: {
      ...emitted.build,
      models: emitted.models,
      comparedTokens: tokens.flat().map(({ maker, model }) => ({ maker, model })),
    },
  };
}

/** The findings of each phase, and the result of all of them. */
type Phases<T> = Generator<readonly Diagnostic[], T>;

const untilErrors = <T>(
  phases: Phases<T>,
): { readonly found: readonly Diagnostic[]; readonly result?: T } => {
  const found: Diagnostic[] = [];
  for (;;) {
    const { done, value } = phases.next();
    if (done === true) return { found, result: value };
    found.push(...value);
    if (hasErrors(value)) return { found };
  }
};

/** A program with the tables that are needed to check and emit its definitions. */
interface Session {
  readonly program: Program;
  readonly options: CompileOptions;
  readonly kinds: ReadonlyMap<string, StepKind>;
  readonly profiles: Profiles;
  readonly callersOf: ReturnType<typeof findCallers>;
  readonly contextOf: (step: StepDefinition) => StepContext;
  /** The steps without faults of their own. */
  readonly steps: ReadSteps;
  /** The faults of single steps. */
  readonly found: readonly Diagnostic[];
}

const openSession = (program: Program, options: CompileOptions): Session => {
  const kinds = new Map([...builtInKinds, ...(options.stepKinds ?? [])].map((kind) => [kind.kind, kind]));
  const { profiles = {} } = options;
  const callersOf = findCallers(program);
  const contextOf = contextsOf(callersOf, options);
  const steps = new Map<string, ProgramStep>();
  const found: Diagnostic[] = [];
  for (const step of program.steps.values()) {
    const kind = kinds.get(step.kind);
    const faults = [
      ...checkOptionNames(step, kind?.options),
      ...checkOptionForms(step, kind?.options, kind?.invalidOption),
    ];
    const { diagnostics, value: read } =
      faults.length > 0 ? { diagnostics: faults } : (kind?.read(step, contextOf(step)) ?? unknownKind(step));
    const all = [
      ...checkDeclaration(step),
      ...checkProfiles(step, profiles, kind?.profileOptions),
      ...checkAnswersOnce(step, kind?.answersOnce),
      ...diagnostics,
    ];
    found.push(...all);
    invariant(
      read !== undefined || hasErrors(all),
      `the kind ${step.kind} neither read ${step.name} nor gave an error`,
    );
    if (read !== undefined && !hasErrors(all)) steps.set(step.name, { step, read });
  }
  return { program, options, kinds, profiles, callersOf, contextOf, steps, found };
};

/** The definitions that may have samples, each with its largest batch: ensembles, and steps whose code calls models. */
const sampled = ({ program, contextOf }: Session): readonly (readonly [StepDefinition, number])[] => [
  ...[...program.ensembles.values()].map((one) => {
    const batched = isBatched({ inputs: one.inputs, outputs: {} });
    return [one, batched ? (ownMaxBatchSize(one) ?? 0) : 0] as const;
  }),
  ...[...program.steps.values()].flatMap((one) =>
    one.callees === undefined ? [] : [[one, contextOf(one).maxBatchSize] as const],
  ),
];

/** The collate steps of a split program. */
const readCollates = (
  split: readonly SplitEnsemble[],
  { contextOf }: Pick<Session, "contextOf">,
): ReadSteps =>
  new Map(
    split.flatMap(({ collate: step }) => {
      const { value: read } = collateKind.read(step, contextOf(step));
      return read === undefined ? [] : [[step.name, { step, read }] as const];
    }),
  );

/** The parts of a session that emission needs; `plans` are the plans of the ensembles in `program`. */
const emission = (
  { options, profiles }: Session,
  program: Program,
  steps: ReadSteps,
  plans: ReadonlyMap<string, PlannedEnsemble>,
) => {
  const callersOf = findCallers(program);
  const early = startedBeforeOthers(new Map([...plans].map(([name, { plan }]) => [name, plan])));
  return {
    program,
    callersOf,
    plans,
    steps,
    host: options.host,
    release: options.release,
    contextOf: contextsOf(callersOf, options),
    streamsOf: findStreams(program, steps),
    sequenceIdsOf: findSequences(program),
    holdsErrors: (model: string) => !outlivesFailures(options.release) && early.has(model),
    captured: options.warmup,
    append: options.append,
    docker: options.docker ?? {},
    profilePlaces: options.profilePlaces ?? new Map(),
    profiles,
  };
};

/** The steps without errors so far, for the rules about repositories. */
const emitSound = (session: Session): ReturnType<typeof emitAlone> => {
  const sized = new Map([...session.steps].filter(([, { step }]) => isSized(session.contextOf(step))));
  return emitAlone(sized, { ...emission(session, session.program, sized, new Map()), samples: [] });
};

const nothingEmitted: EmittedRepository = { tree: new Map(), manifest: undefined, models: [] };

const notBuilt = (found: readonly Diagnostic[], emitted: EmittedRepository): Compilation => ({
  diagnostics: asReport(found),
  build: undefined,
  emitted,
});

/** Sorts the findings, and reports a mistake in a declaration that several ensembles use only once. */
const asReport = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
  sortDiagnostics([...new Map(withoutConsequences(found).map((one) => [JSON.stringify(one), one])).values()]);

/** Whether the batch size of a step is known, so that its fields can be checked against it. */
const isSized = ({ batched, maxBatchSize }: StepContext): boolean =>
  !batched || (Number.isInteger(maxBatchSize) && maxBatchSize > 0);

/** The models of a checked program; ensembles that batch by length are split. */
const planProgram = (program: Program, kinds: ReadonlyMap<string, StepKind>) => {
  const made = splitEnsembles(program);
  const refusalsOf = findRefusals(made.program, kinds);
  const plans = new Map<string, PlannedEnsemble>();
  for (const ensemble of made.program.ensembles.values())
    plans.set(ensemble.name, planOf(withFinalGraph(ensemble), refusalsOf));
  const replan = ({ definition }: PlannedEnsemble, fused: readonly FusedCall[]): PlannedEnsemble =>
    planOf(definition, refusalsOf, fused);
  return { ...made, plans, replan };
};

const planOf = (
  definition: EnsembleDefinition,
  refusalsOf: ReturnType<typeof findRefusals>,
  fused: readonly FusedCall[] = [],
): PlannedEnsemble => ({
  definition,
  plan: planEnsemble(definition.behind ?? definition.name, definition.graph, refusalsOf, fused),
});

const withFinalGraph = (ensemble: EnsembleDefinition): EnsembleDefinition => {
  const graph = separateOutputs(pruneGraph(ensemble.graph));
  verifyGraph(graph, "separate-outputs");
  return { ...ensemble, graph };
};

/** Infers every ensemble, callees first, so that the outputs of a nested ensemble are known to its callers. */
const inferProgram = (program: Program): Program => {
  const ensembles = new Map<string, EnsembleDefinition>();
  const signatureOf = (step: string): Pick<StepDefinition, "inputs" | "outputs"> =>
    ensembles.get(step) ?? program.steps.get(step) ?? { inputs: {}, outputs: {} };
  for (const ensemble of program.ensembles.values()) {
    const { graph, diagnostics } = inferGraph(ensemble, signatureOf);
    verifyGraph(graph, "infer");
    const types = new Map(graph.nodes.map((node) => [node.id, node.outputs]));
    const outputs: Signature = Object.fromEntries(
      mapDefined(Object.keys(graph.outputs), (name) => {
        const port = graph.outputs[name];
        return port && types.get(port.node)?.[port.output];
      }),
    );
    ensembles.set(ensemble.name, {
      ...ensemble,
      graph,
      outputs,
      diagnostics: [...ensemble.diagnostics, ...diagnostics],
    });
  }
  return { ...program, ensembles };
};

/** Checks in stages, so that consequences of an earlier mistake are not reported. */
const checkEnsemble = (ensemble: EnsembleDefinition, session: Session): readonly Diagnostic[] => {
  const found = [
    ...ensemble.diagnostics,
    ...checkEnsembleDeclaration(ensemble),
    ...checkOptionNames(ensemble, ensembleForms),
    ...checkOptionForms(ensemble, ensembleForms),
  ];
  if (hasErrors(found)) return found;
  const graph = checkGraph(ensemble, session.program);
  return [...found, ...graph, ...(hasErrors(graph) ? [] : checkBatch(ensemble, session))];
};

const unknownKind = (step: StepDefinition): Found<ReadStep> => ({
  diagnostics: [
    diagnose("step/unknown-kind", { with: { step: step.name, kind: step.kind }, labels: definedAt(step) }),
  ],
});

const contextsOf =
  (
    callersOf: ReturnType<typeof findCallers>,
    { host, release }: Pick<CompileOptions, "host" | "release">,
  ): Session["contextOf"] =>
  (step) => {
    const batched = isBatched(step);
    const largest = Math.max(0, ...callersOf(step.name).map((caller) => ownMaxBatchSize(caller) ?? 0));
    const maxBatchSize = batched ? (ownMaxBatchSize(step) ?? largest) : 0;
    return { host, release, batched, maxBatchSize };
  };
