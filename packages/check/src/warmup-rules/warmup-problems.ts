import { remembered } from "@tritype/core";
import { activeInstances, fitsDims, type ModelConfig, type ModelWarmup } from "@tritype/triton";
import { ensembleSteps } from "../model/ensemble-graph.ts";
import { completesItself } from "../completion/completes-itself.ts";
import { certainParts } from "../model/tensor-place.ts";
import type { CheckedModel } from "../model-context.ts";
import { appliesTo, completeEntry } from "../rule.ts";
import { dataProblems, dtypeName } from "./warmup-data.ts";
import type { WarmupPlace, WarmupProblem } from "./warmup-problem.ts";
import { warmupEntries } from "./warmup-entries.ts";

/** The problems in a model's warmup samples, based on its configuration as completed by its backend. */
export const warmupProblems: (checked: CheckedModel) => readonly WarmupProblem[] = remembered((checked) =>
  findProblems(checked),
);

/** Whether a model does not load because of its warmup. */
export const refusesWarmup = (checked: CheckedModel): boolean =>
  warmupProblems(checked).some(({ kind }) => completeEntry(warmupEntries[kind]).severity === "error");

const findProblems = (checked: CheckedModel): readonly WarmupProblem[] => {
  const { model, assumed } = checked;
  const config = assumed ?? model.config;
  if (
    activeInstances(config).length === 0 ||
    config.platform === "ensemble" ||
    ensembleSteps(config) !== undefined
  )
    return [];
  return (config.model_warmup ?? []).flatMap((warmup, sample) => {
    const at = { model, sample, name: warmup.name || String(sample) };
    if (!warmup.batch_size)
      return [{ kind: "skipped", at, written: warmup.batch_size !== undefined } as const];
    const data = Object.entries(warmup.inputs ?? {}).flatMap(([input, setting]) =>
      dataProblems({ ...at, input }, setting),
    );
    const open = assumed === undefined || completesItself(checked, "input");
    const request = open ? [] : requestProblems(at, warmup, config);
    return [
      ...data,
      ...request,
      ...batchProblems(at, warmup, config, checked),
      ...idProblems(at, config, checked),
    ];
  });
};

/** A warmup request is checked like any other. Source: core `infer_request.cc`, Normalize. */
const requestProblems = (
  at: WarmupPlace,
  { inputs = {} }: ModelWarmup,
  config: ModelConfig,
): readonly WarmupProblem[] => {
  const declared = config.input ?? [];
  const names = new Set(declared.map(({ name = "" }) => name));
  const unknown = Object.keys(inputs).filter((name) => !names.has(name));
  const required = declared.filter(({ optional }) => optional !== true);
  const given = [...names].filter((name) => Object.hasOwn(inputs, name));
  const fromScheduler = schedulerTensors(config);
  const missing = required.map(({ name = "" }) => name).filter((name) => !given.includes(name));
  // Backends read the batch size from the first input.
  const empty = Object.keys(inputs).length === 0 && (config.max_batch_size ?? 0) > 0;
  const incomplete = given.length < required.length || empty;
  const strangers = incomplete
    ? [{ kind: "missing-inputs", at, missing, unknown } as const]
    : unknown
        .filter((name) => !fromScheduler.has(name))
        .map((input) => ({ kind: "unknown-input", at: { ...at, input }, known: [...names] }) as const);
  const problems = given.flatMap((input): readonly WarmupProblem[] => {
    const tensor = declared.find(({ name }) => name === input) ?? {};
    const { data_type, dims = [], is_shape_tensor: shapes } = tensor;
    const certain = certainParts(config, tensor, false);
    const setting = inputs[input] ?? {};
    const own = setting.dims ?? [];
    const place = { ...at, input };
    const otherType = certain.dataType && setting.data_type !== data_type;
    const fits = shapes === true || own.some((dim) => dim < 0) || fitsDims(dims, own);
    const batchAxis = (config.max_batch_size ?? 0) > 0 && fitsDims(dims, own.slice(1));
    return [
      ...(otherType
        ? [
            {
              kind: "dtype",
              at: place,
              wanted: dtypeName(data_type),
              found: dtypeName(setting.data_type),
            } as const,
          ]
        : []),
      ...(fits || !certain.shape
        ? []
        : [
            {
              kind: "shape",
              at: place,
              wanted: show(data_type, dims),
              found: show(setting.data_type, own),
              batchAxis,
            } as const,
          ]),
    ];
  });
  return [...strangers, ...problems];
};

const show = (type: string | number | undefined, dims: readonly number[]): string =>
  `${dtypeName(type)}[${dims.join(", ")}]`;

/** Inputs that the scheduler provides, and that a sample may provide instead. */
const schedulerTensors = ({
  sequence_batching: sequence,
  batch_input = [],
}: ModelConfig): ReadonlySet<string> =>
  new Set([
    ...(sequence?.control_input ?? []).map(({ name = "" }) => name),
    ...(sequence?.state ?? []).map(({ input_name = "" }) => input_name),
    ...batch_input.flatMap(({ target_name = [] }) => target_name),
  ]);

const batchProblems = (
  at: WarmupPlace,
  { batch_size: size = 0 }: ModelWarmup,
  config: ModelConfig,
  checked: CheckedModel,
): readonly WarmupProblem[] => {
  const limit = Math.max(1, config.max_batch_size ?? 0);
  const open = checked.assumed === undefined || completesItself(checked);
  return size <= limit || open ? [] : [{ kind: "batch-size", at, size, limit }];
};

const idProblems = (
  at: WarmupPlace,
  { sequence_batching: sequence }: ModelConfig,
  { model }: CheckedModel,
): readonly WarmupProblem[] => {
  if (!appliesTo(warmupEntries["correlation-id"], model.options.release.container)) return [];
  const strings = (sequence?.control_input ?? []).find(({ control = [] }) =>
    control.some(({ kind, data_type }) => kind === "CONTROL_SEQUENCE_CORRID" && data_type === "TYPE_STRING"),
  );
  return strings === undefined ? [] : [{ kind: "correlation-id", at, control: strings.name ?? "" }];
};
