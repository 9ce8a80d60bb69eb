import type { ModelConfig, ModelEnsemblingStep } from "@tritype/triton";
import type { EnsembleCase } from "./ensemble-case.fixture.ts";

type Steps = readonly ModelEnsemblingStep[];
/** Changes a case at a position that `pick` selects; returns it unchanged if there is no such position. */
export type EnsembleFault = (found: EnsembleCase, pick: number) => EnsembleCase;

const onEnsemble =
  (
    change: (ensemble: ModelConfig, pick: number, members: readonly ModelConfig[]) => ModelConfig,
  ): EnsembleFault =>
  (found, pick) => {
    const [ensemble, ...members] = found.models;
    return ensemble === undefined
      ? found
      : { ...found, models: [change(ensemble, pick, members), ...members] };
  };

const onMember =
  (change: (member: ModelConfig, pick: number) => ModelConfig): EnsembleFault =>
  (found, pick) => {
    const at = 1 + (pick % (found.models.length - 1));
    return { ...found, models: found.models.map((model, i) => (i === at ? change(model, pick) : model)) };
  };

const stepsOf = ({ ensemble_scheduling: scheduling }: ModelConfig): Steps => scheduling?.step ?? [];

const onStep = (
  change: (step: ModelEnsemblingStep, ensemble: ModelConfig, pick: number) => ModelEnsemblingStep,
) =>
  onEnsemble((ensemble, pick) => {
    const steps = stepsOf(ensemble);
    const at = pick % Math.max(1, steps.length);
    return {
      ...ensemble,
      ensemble_scheduling: { step: steps.map((step, i) => (i === at ? change(step, ensemble, pick) : step)) },
    };
  });

const without = <T extends object, K extends keyof T>(value: T, key: K): Omit<T, K> => {
  const { [key]: _, ...rest } = value;
  return rest;
};

const tensorNames = (ensemble: ModelConfig): readonly string[] => [
  ...(ensemble.input ?? []).map(({ name = "" }) => name),
  ...stepsOf(ensemble).flatMap(({ output_map = {} }) => Object.values(output_map)),
];

const chosen = <T>(from: readonly T[], pick: number): T | undefined => from[pick % Math.max(1, from.length)];

const retarget = (map: Readonly<Record<string, string>> = {}, tensor: string | undefined) =>
  Object.fromEntries(Object.entries(map).map(([port, old], i) => [port, i === 0 ? (tensor ?? old) : old]));

const firstInput = (model: ModelConfig, change: object): ModelConfig => ({
  ...model,
  input: (model.input ?? []).map((input, i) => (i === 0 ? { ...input, ...change } : input)),
});
const firstOutput = (model: ModelConfig, change: object): ModelConfig => ({
  ...model,
  output: (model.output ?? []).map((output, i) => (i === 0 ? { ...output, ...change } : output)),
});

/** Each fault is named after the closest Triton rule; its name describes the change. The result may still be legal. */
export const ensembleFaults: Readonly<Record<string, EnsembleFault>> = {
  "101 no scheduling": onEnsemble((ensemble) => without(ensemble, "ensemble_scheduling")),
  "101 steps of a member": onMember((member) => ({ ...member, ensemble_scheduling: { step: [] } })),
  "101 no platform": onEnsemble((ensemble) => without(ensemble, "platform")),
  "102 instance group": onEnsemble((ensemble) => ({ ...ensemble, instance_group: [{ count: 1 }] })),
  "103 optimization": onEnsemble((ensemble) => ({ ...ensemble, optimization: {} })),
  "104 warmup": onEnsemble((ensemble) => ({ ...ensemble, model_warmup: [{ name: "w", batch_size: 1 }] })),
  "105 no step": onEnsemble((ensemble) => ({ ...ensemble, ensemble_scheduling: {} })),
  "106 no model": onStep((step) => without(step, "model_name")),
  "106 no inputs": onStep((step) => without(step, "input_map")),
  "106 no outputs": onStep((step) => without(step, "output_map")),
  "107 written twice": onStep((step, ensemble, pick) => ({
    ...step,
    output_map: retarget(step.output_map, chosen(tensorNames(ensemble), pick >> 3)),
  })),
  "109 unused input": onEnsemble((ensemble) => ({
    ...ensemble,
    input: [...(ensemble.input ?? []), { name: "EXTRA", data_type: "TYPE_FP32", dims: [1] }],
  })),
  "110 unknown output": onEnsemble((ensemble) => ({
    ...ensemble,
    output: [...(ensemble.output ?? []), { name: "EXTRA", data_type: "TYPE_FP32", dims: [1] }],
  })),
  "110 other source": onStep((step, ensemble, pick) => ({
    ...step,
    input_map: retarget(step.input_map, chosen(tensorNames(ensemble), pick >> 3)),
  })),
  "110 misspelt source": onStep((step) => ({ ...step, input_map: retarget(step.input_map, "MISSPELT") })),
  "111 misspelt result": onStep((step) => ({ ...step, output_map: retarget(step.output_map, "MISSPELT") })),
  "111 output dropped": onEnsemble((ensemble) => ({ ...ensemble, output: (ensemble.output ?? []).slice(1) })),
  "112 input also given out": onEnsemble((ensemble, pick) => {
    const input = chosen(ensemble.input ?? [], pick);
    return input === undefined ? ensemble : { ...ensemble, output: [...(ensemble.output ?? []), input] };
  }),
  "112 input written": onStep((step, ensemble, pick) => ({
    ...step,
    output_map: retarget(step.output_map, chosen(ensemble.input ?? [], pick >> 3)?.name),
  })),
  "113 missing model": onStep((step) => ({ ...step, model_name: `${step.model_name}x` })),
  "113 member cannot be read": onMember((member) => firstInput(member, { dims: [0] })),
  "115 member does not load": onMember((member) => ({
    ...member,
    instance_group: [{ kind: "KIND_CPU", gpus: [0] }],
  })),
  "114 itself": onStep((step, ensemble) => ({ ...step, model_name: ensemble.name ?? "" })),
  "116 no version": onStep((step) => without(step, "model_version")),
  "116 version 0": onStep((step) => ({ ...step, model_version: 0 })),
  "116 version 1": onStep((step) => ({ ...step, model_version: 1 })),
  "116 version 2": onStep((step) => ({ ...step, model_version: 2 })),
  "116 version -2": onStep((step) => ({ ...step, model_version: -2 })),
  "118 smaller batches": onMember((member, pick) => ({ ...member, max_batch_size: pick % 4 })),
  "118 larger batches": onEnsemble((ensemble, pick) => ({ ...ensemble, max_batch_size: pick % 16 })),
  "119 unknown input": onStep((step) => ({
    ...step,
    input_map: { ...without(step.input_map ?? {}, "IN0"), WRONG: step.input_map?.["IN0"] ?? "A" },
  })),
  "119 unknown output": onStep((step) => ({
    ...step,
    output_map: { WRONG: step.output_map?.["OUT"] ?? "T00" },
  })),
  "119 output twice": onMember((member) => ({
    ...member,
    output: [...(member.output ?? []), ...(member.output ?? [])],
  })),
  "120 input more": onMember((member) => ({
    ...member,
    input: [...(member.input ?? []), { name: "MORE", data_type: "TYPE_FP32", dims: [1] }],
  })),
  "120 optional more": onMember((member) => ({
    ...member,
    input: [...(member.input ?? []), { name: "MORE", data_type: "TYPE_FP32", dims: [1], optional: true }],
  })),
  "120 input twice": onMember((member) => ({
    ...member,
    input: [...(member.input ?? []), ...(member.input ?? [])],
  })),
  "121 input datatype": onMember((member) => firstInput(member, { data_type: "TYPE_UINT8" })),
  "121 output datatype": onMember((member) => firstOutput(member, { data_type: "TYPE_UINT8" })),
  "122 input dims": onMember((member, pick) => firstInput(member, { dims: chosen(changedDims, pick >> 3) })),
  "122 output dims": onMember((member, pick) =>
    firstOutput(member, { dims: chosen(changedDims, pick >> 3) }),
  ),
  "122 ensemble dims": onEnsemble((ensemble, pick) =>
    firstInput(ensemble, { dims: chosen(changedDims, pick) }),
  ),
  "123 ensemble reshape": onEnsemble((ensemble) =>
    firstInput(ensemble, { reshape: { shape: [1, ...(ensemble.input?.[0]?.dims ?? [])] } }),
  ),
  "123 member reshape": onMember((member) =>
    firstInput(member, { reshape: { shape: [1, ...(member.input?.[0]?.dims ?? [])] } }),
  ),
  "126 decoupled": onMember((member) => ({ ...member, model_transaction_policy: { decoupled: true } })),
  "127 cache": onEnsemble((ensemble) => ({ ...ensemble, response_cache: { enable: true } })),
  "129 optional input": onEnsemble((ensemble) => firstInput(ensemble, { optional: true })),
  "114 inside another": (found, pick) => nest(found, pick),
};

const changedDims: readonly (readonly number[])[] = [[5], [-1], [4, 4], [-1, -1], [2, 3], [-1, 2, 3], [1]];

/** Inserts an ensemble with the same inputs and outputs between the ensemble under test and one of its members. */
const nest: EnsembleFault = (found, pick) => {
  const [ensemble, ...members] = found.models;
  const member = chosen(members, pick);
  if (ensemble === undefined || member === undefined || member.platform === "ensemble") return found;
  const name = `${member.name}_inner`;
  const wire = (ports: ModelConfig["input"] | ModelConfig["output"] = []) =>
    Object.fromEntries(ports.map(({ name: port = "" }) => [port, port]));
  const inner: ModelConfig = {
    name,
    platform: "ensemble",
    max_batch_size: member.max_batch_size ?? 0,
    input: member.input ?? [],
    output: member.output ?? [],
    ensemble_scheduling: {
      step: [
        {
          model_name: member.name ?? "",
          model_version: -1,
          input_map: wire(member.input),
          output_map: wire(member.output),
        },
      ],
    },
  };
  const steps = stepsOf(ensemble).map((step) =>
    step.model_name === member.name ? { ...step, model_name: name } : step,
  );
  return { ...found, models: [{ ...ensemble, ensemble_scheduling: { step: steps } }, ...members, inner] };
};

/** Applies faults by name, each at the position that its pick selects. */
export const breakEnsemble = (
  legal: EnsembleCase,
  faults: readonly (readonly [name: string, pick: number])[],
): EnsembleCase => {
  const broken = faults.reduce((found, [name, pick]) => ensembleFaults[name]?.(found, pick) ?? found, legal);
  return { ...broken, faults: faults.map(([name]) => name) };
};
