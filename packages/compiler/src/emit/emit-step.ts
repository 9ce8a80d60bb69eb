import { type Diagnostic, invariant, type StepDefinition, ownValue } from "@tritype/core";
import { type ModelConfig, printModelConfig } from "@tritype/triton";
import { definedAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import { emitProfiles } from "../profiles/emit-profiles.ts";
import { inProfile } from "../profiles/in-profile.ts";
import type { ReadStep, StepContext, StepModel, StepVersion, TensorNames } from "../step-kind.ts";
import { textFile, type Tree } from "../tree.ts";
import { capturedEntries } from "../warmup/captured-warmup.ts";
import { emitWarmup } from "../warmup/emit-warmup.ts";
import { modelWarmup } from "../warmup/model-warmup.ts";
import { diagnoseWarmup } from "../warmup/warmup-diagnostics.ts";
import type { WarmupEntry } from "../warmup/warmup-entry.ts";
import { authorConfig, withRaw } from "./author-config.ts";
import { configFiles } from "./config-files.ts";
import { wayOf, withContract } from "./contract.ts";
import { configInputs, configOutputs, withTensorFields } from "./emit-config.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";
import { type PlaceOf, rawFields, stepPlaces } from "./field-places.ts";
import { type MemberFields, memberDefaults } from "./member-fields.ts";
import { renamed } from "./tensor-names.ts";

/** The model of a step, and the faults in the author's fields. */
export const emitStep = (
  step: StepDefinition,
  read: ReadStep,
  options: EmitOptions,
): { readonly model: EmittedModel; readonly diagnostics: readonly Diagnostic[] } => {
  const namesOf = (called: string): TensorNames | undefined =>
    options.steps.get(called)?.read.model({ holdErrors: false, namesOf: () => undefined }).tensorNames;
  const model = read.model({ holdErrors: options.holdsErrors(step.name), namesOf });
  const callers = options.callersOf(step.name);
  const members = memberDefaults(step, callers);
  const context = options.contextOf(step);
  const warmup = stepWarmup(step, model, context, options);
  const project = { profiles: options.profiles, places: options.profilePlaces };
  const placesIn = (config: Partial<ModelConfig>, profile?: string): PlaceOf =>
    stepPlaces(step, callers, model.tensorNames, config, { profile, project });
  const configure = (profile?: string) => {
    const placeOf = placesIn({}, profile);
    const merged = mergedConfig({ step, model, members: members.fields, context }, options, placeOf, profile);
    const called = options.program.exportedSteps.has(step.name);
    const way = wayOf(options, step.name);
    const served = called ? withContract(merged.config, step, context.host, way) : merged.config;
    const placed = configFiles(merged.step, served, model, context.host, placesIn(served, profile));
    const warmed = emitWarmup(step, placed.config, warmup.own, warmup.captured, options.release);
    return {
      placed,
      warmed,
      config: warmed.config,
      diagnostics: [...merged.diagnostics, ...placed.diagnostics, ...warmed.diagnostics],
    };
  };
  const base = configure();
  const { config, placed, warmed } = base;
  const profiled = emitProfiles(options.profiles, base, configure);
  const versions = versionsOf(model, placed.versionFiles);
  const { calls = [], requirements = [], tensorNames, functions, packages, nativePackages } = model;
  return {
    diagnostics: [
      ...members.diagnostics,
      ...base.diagnostics,
      ...warmup.diagnostics,
      ...profiled.diagnostics,
      ...emptyVersions(step, versions),
    ],
    model: {
      name: step.name,
      kind: step.kind,
      definition: step,
      config,
      profiles: profiled.configs,
      placesIn: (profile) => placesIn(config, profile),
      files: new Map([
        ["config.pbtxt", textFile(printModelConfig(config))],
        ...profiled.files,
        ...placed.files,
        ...warmed.files,
      ]),
      versions,
      listed: model.versions !== undefined,
      warmup: warmed.captured,
      requirements,
      needs: calls,
      calls,
      ...(tensorNames === undefined ? {} : { tensorNames }),
      ...(functions === undefined ? {} : { functions }),
      ...(packages === undefined ? {} : { packages }),
      ...(nativePackages === undefined ? {} : { nativePackages }),
    },
  };
};

interface StepWarmup {
  /** The author's fields, by their names in the configuration. */
  readonly own: readonly WarmupEntry[];
  readonly captured: readonly WarmupEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The requests that warm up a step's model; none if its code calls other models. */
const stepWarmup = (
  step: StepDefinition,
  { callsModels, calls = [], tensorNames }: StepModel,
  { maxBatchSize, host }: StepContext,
  { captured, samples }: EmitOptions,
): StepWarmup => {
  const { entries, diagnostics } = modelWarmup(step, maxBatchSize, host);
  const own = entries.map((entry) => ({
    ...entry,
    inputs: new Map(
      [...entry.inputs].map(([name, tensor]) => [ownValue(tensorNames?.inputs, name) ?? name, tensor]),
    ),
  }));
  if (callsModels !== true && calls.length === 0)
    return { own, captured: capturedEntries(step.name, captured?.requests ?? [], samples), diagnostics };
  const refused = diagnoseWarmup("sample/calls-models", {
    with: { owner: step.name },
    labels: definedAt(step),
  });
  return { own, captured: [], diagnostics: own.length === 0 ? diagnostics : [...diagnostics, refused] };
};

/** A step with its model, and the fields that its ensembles set. */
interface MergedStep {
  readonly step: StepDefinition;
  readonly model: StepModel;
  readonly members: MemberFields;
  readonly context: StepContext;
}

/**
 * The configuration in a profile, or without one. If several sources set a field, the last of these wins: the common defaults, the kind,
 * the project's profile and `members`, the author's options, and `raw`.
 */
const mergedConfig = (
  { step, model, members, context: { batched, maxBatchSize } }: MergedStep,
  { profiles }: EmitOptions,
  placeOf: PlaceOf,
  profile: string | undefined,
): {
  /** The fields as overridden by the profile. */
  readonly step: StepDefinition;
  readonly config: ModelConfig;
  readonly diagnostics: readonly Diagnostic[];
} => {
  const { step: profiled, defaults, own } = inProfile(profile, step, members, profiles);
  const standIn = profiled.options["useStandIn"] === true ? model.standIn : undefined;
  const as = standIn === undefined ? profiled : onStandIn(profiled, own);
  const ofKind = withBatcher(
    { ...batcherOf(model.config), ...(standIn?.config ?? model.config) },
    as,
    defaults,
  );
  const author = authorConfig(as, placeOf, keepOnCpu(ofKind, defaults));
  const { input, output, ...fields } = author.config;
  const outputs = standIn?.outputs ?? model.outputs ?? step.outputs;
  const { inputs: inputNames, outputs: outputNames } = model.tensorNames ?? {};
  const merged = withRaw(
    as,
    {
      name: step.name,
      max_batch_size: maxBatchSize,
      instance_group: [{ count: 1, kind: "KIND_AUTO" }],
      ...ofKind,
      ...fields,
      ...mergedParameters(ofKind, author.config),
      input: withTensorFields(
        withTensorFields(configInputs(renamed(step.inputs, inputNames), batched), ofKind.input),
        withNames(input, inputNames),
      ),
      output: withTensorFields(
        configOutputs(renamed(outputs, outputNames), batched),
        withNames(output, outputNames),
      ),
    },
    own,
  );
  return {
    step: as,
    config: merged.config,
    diagnostics: [...author.diagnostics, ...merged.diagnostics],
  };
};

/** Settings for individual tensors, by their names in the configuration. */
const withNames = <T extends { readonly name?: string }>(
  rows: readonly T[] | undefined,
  names: Readonly<Record<string, string>> | undefined,
): readonly T[] | undefined =>
  names === undefined
    ? rows
    : rows?.map((row) => ({
        ...row,
        ...(row.name === undefined ? {} : { name: ownValue(names, row.name) ?? row.name }),
      }));

/** Fields that are meant for the step's own backend, unless the profile sets them itself. */
const ofBackend: readonly string[] = [
  "instanceGroup",
  "optimization",
  "parameters",
  "ccModelFilenames",
  "modelOperations",
  "runtime",
];

const onStandIn = (step: StepDefinition, own: readonly string[]): StepDefinition => ({
  ...step,
  options: Object.fromEntries(
    Object.entries(step.options).filter(([field]) => !ofBackend.includes(field) || own.includes(field)),
  ),
});

/** `members.instanceGroup` on GPUs does not apply to models whose kind requires the CPU. */
const keepOnCpu = (kind: Partial<ModelConfig>, defaults: MemberFields): MemberFields => {
  const groups = (defaults["instanceGroup"] ?? []) as readonly { readonly kind?: string }[];
  const wantsCpu = kind.instance_group?.every((group) => group.kind === "KIND_CPU") === true;
  if (!wantsCpu || !groups.some((group) => group.kind === "gpu")) return defaults;
  const { instanceGroup: _, ...rest } = defaults;
  return rest;
};

const batcherOf = ({ dynamic_batching: batcher }: Partial<ModelConfig>): Partial<ModelConfig> =>
  batcher === undefined ? {} : { dynamic_batching: batcher };

/** The configuration of a kind, without its batcher if the author has `dynamicBatching: null` or sequences. */
const withBatcher = (
  { dynamic_batching: batcher, ...config }: Partial<ModelConfig>,
  step: StepDefinition,
  defaults: MemberFields,
): Partial<ModelConfig> => {
  const { dynamicBatching = defaults["dynamicBatching"], sequenceBatching } = step.options;
  const other = sequenceBatching !== undefined || rawFields(step).has("sequence_batching");
  return dynamicBatching === null || other || batcher === undefined
    ? config
    : { ...config, dynamic_batching: batcher };
};

const mergedParameters = (kind: Partial<ModelConfig>, author: Partial<ModelConfig>): Partial<ModelConfig> =>
  kind.parameters === undefined && author.parameters === undefined
    ? {}
    : { parameters: { ...kind.parameters, ...author.parameters } };

/** The versions without a folder, because nothing is written into it. */
const emptyVersions = (
  step: StepDefinition,
  versions: ReadonlyMap<number, StepVersion>,
): readonly Diagnostic[] => {
  const numbers = [...versions].flatMap(([number, { files, prepared = [] }]) =>
    files.size + prepared.length === 0 ? [number] : [],
  );
  return (versions.size === 0 ? [1] : numbers).map((version) =>
    diagnose("step/no-files", {
      with: { step: step.name, kind: step.kind, version },
      labels: definedAt(step),
    }),
  );
};

/** Each version, together with the files that it shares with the others. */
const versionsOf = (
  { files, versions, prepared, ...rest }: StepModel,
  configured: Tree,
): ReadonlyMap<number, StepVersion> => {
  const twin = rest.twin === undefined ? {} : { twin: rest.twin };
  const own =
    versions ??
    new Map<number, StepVersion>([
      [1, { files: new Map(), ...(prepared === undefined ? {} : { prepared }) }],
    ]);
  return new Map(
    [...own]
      .toSorted(([a], [b]) => a - b)
      .map(([number, version]) => {
        invariant(Number.isSafeInteger(number) && number > 0, `${number} is not a version`);
        return [number, { ...twin, ...version, files: new Map([...files, ...configured, ...version.files]) }];
      }),
  );
};
