import { mapDefined, type NamedTensors } from "@tritype/core";
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
  const calls: MemberCall[] = [];
  const once = {
    async *answers(call: MemberCall) {
      calls.push(call);
      yield await infer(call.model, call.inputs, call.version);
    },
    streams: () => false,
  };
  let tensors = inputs;
  for await (const all of streamMembers(config, inputs, once)) tensors = all;
  return { calls, tensors };
};

/** The models of an ensemble's members. */
export interface Members {
  /** The outputs of each response: exactly one, unless the model streams. */
  answers(call: MemberCall): AsyncIterable<NamedTensors>;
  /** Whether a model is decoupled. */
  streams(model: string, version?: string): boolean | Promise<boolean>;
}

/**
 * The same for members that stream: each response of one passes through the members that depend on it. Yields the tensors of each
 * response that reaches the end.
 */
export async function* streamMembers(
  config: ModelConfig,
  inputs: NamedTensors,
  members: Members,
): AsyncGenerator<NamedTensors, void> {
  const waiting: Waiting[] = [];
  for (const step of config.ensemble_scheduling?.step ?? [])
    waiting.push({ step, streams: await members.streams(step.model_name ?? "", stepVersion(step)) });
  const omitted = (config.input ?? []).flatMap(({ name = "" }) => (inputs.has(name) ? [] : [name]));
  yield* runFrom(waiting, inputs, new Set(omitted), members);
}

interface Waiting {
  readonly step: Step;
  readonly streams: boolean;
}

/** @param omitted Optional inputs of the ensemble that the request does not have; members run without them. */
async function* runFrom(
  waiting: readonly Waiting[],
  tensors: NamedTensors,
  omitted: ReadonlySet<string>,
  members: Members,
): AsyncGenerator<NamedTensors, void> {
  const ready = waiting.filter(({ step: { input_map = {} } }) =>
    Object.values(input_map).every((name) => tensors.has(name) || omitted.has(name)),
  );
  // Members that stream come last, because everything after them runs once for each of their responses.
  const next = ready.find(({ streams }) => !streams) ?? ready[0];
  if (next === undefined) {
    yield tensors;
    return;
  }
  const left = waiting.filter((one) => one !== next);
  const { step } = next;
  const names = step.input_map ?? {};
  const given = mapDefined(Object.keys(names), (input) => tensors.get(names[input] ?? ""));
  const call = { model: step.model_name ?? "", version: stepVersion(step), inputs: given };
  for await (const made of members.answers(call)) {
    const taken = Object.entries(step.output_map ?? {}).flatMap(([output, name]) => {
      const tensor = made.get(output);
      return tensor === undefined ? [] : [[name, tensor] as const];
    });
    yield* runFrom(left, new Map([...tensors, ...taken]), omitted, members);
  }
}
