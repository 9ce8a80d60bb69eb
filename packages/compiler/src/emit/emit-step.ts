import { type Diagnostic, invariant, type StepDefinition } from "@tritype/core";
import { type ModelConfig, printModelConfig } from "@tritype/triton";
import { textFile, type Tree, type TreeFile } from "../tree.ts";
import { checkPreferred } from "./check-preferred.ts";
import { authorConfig, withRaw } from "./author-config.ts";
import { checkRelease } from "./check-release.ts";
import { configFiles } from "./config-files.ts";
import { configInputs, configOutputs, withTensorFields } from "./emit-config.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";
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
  const defaults = memberDefaults(step, options.callersOf(step.name), diagnostics);
  const author = authorConfig(step, keepOnCpu(made.config, defaults));
  diagnostics.push(...author.diagnostics, ...checkPreferred(step, author.config, context.maxBatchSize));
  const { input, output, ...own } = author.config;
  const merged = withRaw(step, {
    name: step.name,
    max_batch_size: context.maxBatchSize,
    instance_group: [{ count: 1, kind: "KIND_AUTO" }],
    ...made.config,
    ...own,
    ...mergedParameters(made.config, author.config),
    input: withTensorFields(configInputs(step.inputs, context.batched), input),
    output: withTensorFields(configOutputs(made.outputs ?? step.outputs, context.batched), output),
  });
  const { config, files, diagnostics: missing } = configFiles(step, merged.config, context.host);
  diagnostics.push(...merged.diagnostics, ...missing, ...checkRelease(step, config, context.release));
  return {
    name: step.name,
    kind: step.kind,
    definition: step,
    config,
    files: new Map([
      ["config.pbtxt", textFile(printModelConfig(config))],
      ...files,
      ...versioned(made.files),
    ]),
    twin: made.twin,
    requirements: made.requirements ?? [],
    needs: [],
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

const versioned = (files: Tree): readonly (readonly [string, TreeFile])[] =>
  [...files].map(([path, file]) => [`1/${path}`, file]);
