import { type Diagnostic, invariant, type StepDefinition } from "@tritype/core";
import { type ModelConfig, printModelConfig } from "@tritype/triton";
import { textFile, type Tree, type TreeFile } from "../tree.ts";
import { checkPreferred } from "./check-preferred.ts";
import { authorConfig, withRaw } from "./author-config.ts";
import { checkRelease } from "./check-release.ts";
import { configFiles } from "./config-files.ts";
import { configInputs, configOutputs, withTensorFields } from "./emit-config.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";
import { memberDefaults } from "./member-fields.ts";

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
  const author = authorConfig(step, memberDefaults(step, options.callersOf(step.name), diagnostics));
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

const mergedParameters = (kind: Partial<ModelConfig>, author: Partial<ModelConfig>): Partial<ModelConfig> =>
  kind.parameters === undefined && author.parameters === undefined
    ? {}
    : { parameters: { ...kind.parameters, ...author.parameters } };

const versioned = (files: Tree): readonly (readonly [string, TreeFile])[] =>
  [...files].map(([path, file]) => [`1/${path}`, file]);
