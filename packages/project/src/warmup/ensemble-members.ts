import { mapDefined, type NamedTensors, type TensorData } from "@tritype/core";
import { type ModelConfig, stepVersion } from "@tritype/triton";

/** A member of an ensemble, and the tensors that reach it for one request. */
export interface MemberCall {
  readonly model: string;
  /** undefined means the latest version. */
  readonly version?: string | undefined;
  readonly inputs: NamedTensors;
}

/** The result of running an ensemble's members one by one. */
export interface MemberRun {
  readonly calls: readonly MemberCall[];
  /** Inputs, outputs and the tensors in between, by the ensemble's names. */
  readonly tensors: NamedTensors;
}

type Step = NonNullable<NonNullable<ModelConfig["ensemble_scheduling"]>["step"]>[number];

/** Runs an ensemble's members one by one, producers first and otherwise in the plan's order, so that each call can be examined. */
export const runMembers = async (
  config: ModelConfig,
  inputs: NamedTensors,
  infer: (model: string, inputs: NamedTensors, version?: string) => Promise<NamedTensors>,
): Promise<MemberRun> => {
  const tensors = new Map<string, TensorData>(inputs);
  const calls: MemberCall[] = [];
  const waiting = new Set(config.ensemble_scheduling?.step ?? []);
  const isReady = ({ input_map = {} }: Step): boolean =>
    Object.values(input_map).every((name) => tensors.has(name));
  for (let step = [...waiting].find(isReady); step !== undefined; step = [...waiting].find(isReady)) {
    waiting.delete(step);
    const model = step.model_name ?? "";
    const names = step.input_map ?? {};
    const given = mapDefined(Object.keys(names), (input) => tensors.get(names[input] ?? ""));
    const version = stepVersion(step);
    const made = await infer(model, given, version);
    for (const [output, name] of Object.entries(step.output_map ?? {})) {
      const tensor = made.get(output);
      if (tensor !== undefined) tensors.set(name, tensor);
    }
    calls.push({ model, version, inputs: given });
  }
  return { calls, tensors };
};
