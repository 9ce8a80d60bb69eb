import { type Diagnostic, invariant, type StepDefinition } from "@tritype/core";
import { type ModelConfig, printModelConfig } from "@tritype/triton";
import { definedAt } from "../check/check-declaration.ts";
import { emitProfiles } from "../profiles/emit-profiles.ts";
import { inProfile } from "../profiles/in-profile.ts";
import { checkAccelerators } from "../check/check-accelerators.ts";
import type { StepModel, StepVersion } from "../step-kind.ts";
import { textFile, type Tree } from "../tree.ts";
import { checkPreferred } from "./check-preferred.ts";
import { authorConfig, withRaw } from "./author-config.ts";
import { checkRelease } from "./check-release.ts";
import { configFiles } from "./config-files.ts";
import { configInputs, configOutputs, withTensorFields } from "./emit-config.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";
import { capturedEntries } from "../warmup/captured-warmup.ts";
import { emitWarmup } from "../warmup/emit-warmup.ts";
import { modelWarmup } from "../warmup/model-warmup.ts";
import { diagnoseWarmup } from "../warmup/warmup-diagnostics.ts";
import { type MemberFields, memberDefaults } from "./member-fields.ts";

/** The model of a step: what its kind makes of it, its tensors, and the author's fields. */
export const emitStep = (
  step: StepDefinition,
  options: EmitOptions,
  diagnostics: Diagnostic[],
): EmittedModel => {
  const kind = options.kinds.get(step.kind);
  invariant(kind !== undefined, `no kind ${step.kind}`);
  const context = options.contextOf(step);
  const made = kind.emit(step, context);
  const members = memberDefaults(step, options.callersOf(step.name), diagnostics);
  const { calls = [] } = made;
  const callsModels = made.callsModels === true || calls.length > 0;
  const written = modelWarmup(step, context.maxBatchSize, context.host);
  if (callsModels && written.entries.length > 0)
    diagnostics.push(
      diagnoseWarmup("sample/calls-models", { with: { owner: step.name }, labels: definedAt(step) }),
    );
  const captured = callsModels
    ? []
    : capturedEntries(step.name, options.captured?.requests ?? [], options.samples);
  const configure = (profile?: string) => {
    const { step: as, defaults, own } = inProfile(profile, step, members, options.profiles);
    const author = authorConfig(as, keepOnCpu(made.config, defaults));
    const { input, output, ...fields } = author.config;
    const merged = withRaw(
      as,
      {
        name: step.name,
        max_batch_size: context.maxBatchSize,
        instance_group: [{ count: 1, kind: "KIND_AUTO" }],
        ...made.config,
        ...fields,
        ...mergedParameters(made.config, author.config),
        input: withTensorFields(configInputs(step.inputs, context.batched), input),
        output: withTensorFields(configOutputs(made.outputs ?? step.outputs, context.batched), output),
      },
      own,
    );
    const placed = configFiles(as, merged.config, context.host);
    const warmed = emitWarmup(step, placed.config, written.entries, captured, context.release);
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
  };
};

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
  { files, versions, ...rest }: StepModel,
  configured: Tree,
): ReadonlyMap<number, StepVersion> => {
  const twin = rest.twin === undefined ? {} : { twin: rest.twin };
  const own = versions ?? new Map<number, StepVersion>([[1, { files: new Map() }]]);
  return new Map(
    [...own]
      .toSorted(([a], [b]) => a - b)
      .map(([number, version]) => {
        invariant(Number.isSafeInteger(number) && number > 0, `${number} is no version`);
        return [number, { ...twin, ...version, files: new Map([...files, ...configured, ...version.files]) }];
      }),
  );
};
