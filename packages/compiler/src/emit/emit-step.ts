import { type Diagnostic, invariant, type StepDefinition } from "@tritype/core";
import { type ModelConfig, printModelConfig } from "@tritype/triton";
import { definedAt } from "../check/check-declaration.ts";
import { emitProfiles } from "../profiles/emit-profiles.ts";
import { inProfile } from "../profiles/in-profile.ts";
import { checkAccelerators } from "../check/check-accelerators.ts";
import type { ReadStep, StepModel, StepVersion } from "../step-kind.ts";
import { textFile, type Tree } from "../tree.ts";
import { checkPreferred } from "./check-preferred.ts";
import { authorConfig, withRaw } from "./author-config.ts";
import { checkRelease } from "./check-release.ts";
import { configFiles } from "./config-files.ts";
import { configInputs, configOutputs, withTensorFields } from "./emit-config.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";
import { stepPlaces } from "./field-places.ts";
import { capturedEntries } from "../warmup/captured-warmup.ts";
import { emitWarmup } from "../warmup/emit-warmup.ts";
import { modelWarmup } from "../warmup/model-warmup.ts";
import { diagnoseWarmup } from "../warmup/warmup-diagnostics.ts";
import { type MemberFields, memberDefaults } from "./member-fields.ts";
import { renamed } from "./tensor-names.ts";

/** The model of a step: what its kind makes of it, its tensors, and the author's fields. */
export const emitStep = (
  step: StepDefinition,
  read: ReadStep,
  options: EmitOptions,
  diagnostics: Diagnostic[],
): EmittedModel => {
  const context = options.contextOf(step);
  const made = read.model({ holdErrors: options.holdsErrors(step.name) });
  const members = memberDefaults(step, options.callersOf(step.name), diagnostics);
  const { calls = [] } = made;
  const callsModels = made.callsModels === true || calls.length > 0;
  const written = modelWarmup(step, context.maxBatchSize, context.host);
  if (callsModels && written.entries.length > 0)
    diagnostics.push(
      diagnoseWarmup("sample/calls-models", { with: { owner: step.name }, labels: definedAt(step) }),
    );
  const { tensorNames: names } = made;
  const ownEntries = written.entries.map((entry) => ({
    ...entry,
    inputs: new Map([...entry.inputs].map(([name, tensor]) => [names?.inputs[name] ?? name, tensor])),
  }));
  const captured = callsModels
    ? []
    : capturedEntries(step.name, options.captured?.requests ?? [], options.samples);
  const configure = (profile?: string) => {
    const profiled = inProfile(profile, step, members, options.profiles);
    const { defaults, own } = profiled;
    const standIn = profiled.step.options["useStandIn"] === true ? made.standIn : undefined;
    const as = standIn === undefined ? profiled.step : onStandIn(profiled.step, own);
    const kindConfig = standIn?.config ?? made.config;
    const outputs = standIn?.outputs ?? made.outputs ?? step.outputs;
    const author = authorConfig(as, keepOnCpu(kindConfig, defaults));
    const { input, output, ...fields } = author.config;
    const merged = withRaw(
      as,
      {
        name: step.name,
        max_batch_size: context.maxBatchSize,
        instance_group: [{ count: 1, kind: "KIND_AUTO" }],
        ...kindConfig,
        ...fields,
        ...mergedParameters(kindConfig, author.config),
        input: withTensorFields(
          withTensorFields(
            configInputs(renamed(step.inputs, names?.inputs), context.batched),
            kindConfig.input,
          ),
          withNames(input, names?.inputs),
        ),
        output: withTensorFields(
          configOutputs(renamed(outputs, names?.outputs), context.batched),
          withNames(output, names?.outputs),
        ),
      },
      own,
    );
    const placed = configFiles(as, merged.config, context.host);
    const warmed = emitWarmup(step, placed.config, ownEntries, captured, context.release);
    return {
      placed,
      warmed,
      config: warmed.config,
      diagnostics: [
        ...author.diagnostics,
        ...checkPreferred(step, author.config, context.maxBatchSize),
        ...(placed.config.backend === "onnxruntime"
          ? checkAccelerators(step, author.config, context.release)
          : []),
        ...merged.diagnostics,
        ...placed.diagnostics,
        ...warmed.diagnostics,
        ...checkRelease(step, warmed.config, context.release),
      ],
    };
  };
  const base = configure();
  const { config, placed, warmed } = base;
  const profiled = emitProfiles(options.profiles, base, configure);
  diagnostics.push(...base.diagnostics, ...written.diagnostics, ...profiled.diagnostics);
  return {
    name: step.name,
    kind: step.kind,
    definition: step,
    config,
    profiles: profiled.configs,
    placesIn: (profile) =>
      stepPlaces(step, options.callersOf(step.name), names, config, { profile, project: options.profiles }),
    files: new Map([
      ["config.pbtxt", textFile(printModelConfig(config))],
      ...profiled.files,
      ...placed.files,
      ...warmed.files,
    ]),
    versions: versionsOf(made, placed.versionFiles),
    listed: made.versions !== undefined,
    warmup: warmed.captured,
    requirements: made.requirements ?? [],
    needs: calls,
    calls,
    ...(names === undefined ? {} : { tensorNames: names }),
    ...(made.functions === undefined ? {} : { functions: made.functions }),
  };
};

/** Rows that say something of single tensors, by the names that the configuration uses. */
const withNames = <T extends { readonly name?: string }>(
  rows: readonly T[] | undefined,
  names: Readonly<Record<string, string>> | undefined,
): readonly T[] | undefined =>
  names === undefined
    ? rows
    : rows?.map((row) => ({
        ...row,
        ...(row.name === undefined ? {} : { name: names[row.name] ?? row.name }),
      }));

/** Fields that are meant for the step's own backend, where the profile does not say them itself. */
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

/** `members.instanceGroup` on GPUs is meant for models that can use one; a kind that asks for the CPU stays there. */
const keepOnCpu = (kind: Partial<ModelConfig>, defaults: MemberFields): MemberFields => {
  const groups = (defaults["instanceGroup"] ?? []) as readonly { readonly kind?: string }[];
  const wantsCpu = kind.instance_group?.every((group) => group.kind === "KIND_CPU") === true;
  if (!wantsCpu || !groups.some((group) => group.kind === "gpu")) return defaults;
  const { instanceGroup: _, ...rest } = defaults;
  return rest;
};

const mergedParameters = (kind: Partial<ModelConfig>, author: Partial<ModelConfig>): Partial<ModelConfig> =>
  kind.parameters === undefined && author.parameters === undefined
    ? {}
    : { parameters: { ...kind.parameters, ...author.parameters } };

/** Each version with the files that it shares with the others. */
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
        invariant(Number.isSafeInteger(number) && number > 0, `${number} is no version`);
        return [number, { ...twin, ...version, files: new Map([...files, ...configured, ...version.files]) }];
      }),
  );
};
