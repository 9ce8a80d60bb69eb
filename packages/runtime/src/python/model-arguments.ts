import { printExactJson } from "@tritype/core";
import { activeInstances, modelConfigToJson } from "@tritype/triton";
import type { ModelVersion } from "../backend.ts";

/** One instance of a model, according to its configuration. */
export interface InstancePlan {
  /** `<group>_<index>`; a group without a name is named `<model>_<number>`. */
  readonly name: string;
  readonly kind: "CPU" | "MODEL";
}

/** The active instances. The local runtime runs KIND_GPU and KIND_AUTO on the CPU. */
export const planProcesses = ({ name, config }: ModelVersion): readonly InstancePlan[] =>
  activeInstances(config).map(({ group, index, number }) => ({
    name: `${group.name || `${name}_${index}`}_${number}`,
    kind: group.kind === "KIND_MODEL" ? "MODEL" : "CPU",
  }));

/** The argument of `initialize(args)`; `model_repository` is the model's own folder, as in Triton. */
export const modelArguments = (
  model: ModelVersion,
  instance: InstancePlan,
): Readonly<Record<string, string>> => ({
  model_config: printExactJson(modelConfigToJson(model.config)),
  model_instance_kind: instance.kind,
  model_instance_name: instance.name,
  model_instance_device_id: "0",
  model_repository: model.folder,
  model_version: model.version,
  model_name: model.name,
});

/** The model's file in its version folder. Not normalized: its last folder is part of the module's name. */
export const modelPath = (model: ModelVersion): string =>
  `${model.versionFolder}/${model.config.default_model_filename || "model.py"}`;
