import { counted } from "@tritype/core";
import type { Knob } from "./knob.ts";
import type { Target } from "./target.ts";

type Fields = Readonly<Record<string, unknown>>;

/** "auto": on a GPU if the server has one. */
export type Device = "auto" | "cpu" | "gpu";

/** A step of an ensemble, with its configuration. */
export interface TunedStep {
  readonly name: string;
  /** Whether threads of a session can be set: ONNX Runtime on CPUs. */
  readonly hasThreads: boolean;
  /** Whether requests can be merged into batches. */
  readonly batched: boolean;
  readonly device: Device;
  /** The number in the configuration that is served now; undefined for several groups, which stay as they are. */
  readonly instances: number | undefined;
  /** The other options of the group of instances, such as `gpus`. Default none. */
  readonly instanceGroup?: Fields | undefined;
  /** Undefined means all processors. */
  readonly threads: number | undefined;
  /** Undefined if there is no dynamic batcher. */
  readonly delayUs: number | undefined;
  readonly preferred: readonly number[];
  readonly maxBatchSize: number;
  /** The options in the source, as a basis for the profile's fields. */
  readonly parameters: Fields | undefined;
  readonly dynamicBatching: Fields | undefined;
  /** For a tokenizer: its `padding`, and the longest row; undefined if there is no choice. */
  readonly padding?: { readonly value: unknown; readonly maxLength: number } | undefined;
  /** Whether its model contains tensor math or other steps. Default false. */
  readonly isFused?: boolean;
}

/** A model of tensor math. */
export interface MathModel {
  readonly name: string;
  readonly device: Device;
}

/** An ensemble with the steps that it calls. */
export interface TunedEnsemble {
  readonly name: string;
  readonly steps: readonly TunedStep[];
  /** Whether texts are already batched by length; undefined if that is not possible. */
  readonly byLength: boolean | undefined;
  /** The tensor-math models. */
  readonly math: readonly MathModel[];
}

export interface KnobOptions {
  readonly target: Target;
  /** Number of processors of the machine that serves. */
  readonly cores: number;
  /** Whether to try settings that profiles cannot have: padding, batching by length, separate models. */
  readonly code: boolean;
  /** Repeated requests, if a response cache can be tried; default: it is not tried. */
  readonly repeats?: Repeats | undefined;
}

/** How many requests of a log repeat an earlier one. */
export interface Repeats {
  readonly repeated: number;
  readonly all: number;
}

/** Everything that can be tried for an ensemble. */
export const knobsOf = (
  ensemble: TunedEnsemble,
  { target, cores, code, repeats }: KnobOptions,
): readonly Knob[] => [
  ...(target.kind === "within" ? [clientsKnob] : []),
  ...ensemble.steps.flatMap((step) => [
    ...(step.instances === undefined ? [] : [scaleKnob(step, step.instances, cores)]),
    ...(step.batched ? batchingKnobs(step) : []),
    ...(code && step.padding !== undefined ? [paddingKnob(step, step.padding)] : []),
    ...(code && step.isFused === true ? [fuseKnob(step)] : []),
  ]),
  ...(code && ensemble.byLength !== undefined ? [byLengthKnob(ensemble.name, ensemble.byLength)] : []),
  ...scalableMath(ensemble)
    .slice(0, 1)
    .map(({ name }) => mathKnob(ensemble.name, name)),
  ...(repeats === undefined ? [] : [cacheKnob(ensemble.name, repeats)]),
];

/**
 * The tensor math whose instances `members` can set. If some steps run on GPUs, math on the CPU is left out: its setting would move those
 * steps.
 */
export const scalableMath = ({ math, steps }: TunedEnsemble): readonly MathModel[] =>
  steps.some(({ device }) => device === "gpu") ? math.filter(({ device }) => device === "gpu") : math;

const clientsKnob: Knob = {
  id: "clients",
  model: "",
  kind: "clients",
  choices: [1, 2, 4, 8, 16, 32, 64, 128].map((value) => ({ label: counted(value, "client"), value })),
  ordered: true,
  start: 3,
};

const scaleKnob = (step: TunedStep, instances: number, cores: number): Knob =>
  step.hasThreads ? layoutKnob(step, instances, cores) : instancesKnob(step, instances, cores);

/**
 * Combinations of instances and threads that use every processor once, and one that uses more. The search tries a few
 * choices in order, so that one comes last; if there are many, it climbs from choice to choice and stops at the first that
 * is not better, so that one comes first.
 */
const layoutKnob = ({ name, threads }: TunedStep, instances: number, cores: number): Knob => {
  const powers = [1, 2, 4, 8, 16, 32, 64].filter((power) => power <= cores);
  const layouts = powers.map((power) => [power, Math.max(1, Math.floor(cores / power))] as const);
  const more = cores > 1 ? [[2, cores] as const] : [];
  const own = [instances, Math.min(threads ?? cores, cores)] as const;
  const others = [...layouts, ...more].filter(([a, b]) => a !== own[0] || b !== own[1]);
  const ordered = others.length > 3;
  const place = ([some, each]: readonly [number, number]): number =>
    some * each <= cores ? 0 : ordered ? -1 : 1;
  const all = [own, ...others].toSorted((a, b) => place(a) - place(b) || a[0] - b[0] || b[1] - a[1]);
  const start = all.indexOf(own);
  return {
    id: `${name}.instances`,
    model: name,
    kind: "instances",
    choices: all.map(([some, each], index) => ({
      label: `${counted(some, "instance")} × ${counted(each, "thread")}`,
      value: index === start ? undefined : { instances: some, threads: each },
    })),
    ordered,
    start,
  };
};

const instancesKnob = ({ name, device }: TunedStep, instances: number, cores: number): Knob => {
  const most = device === "gpu" ? 4 : Math.max(2, cores);
  const all = [...new Set([instances, 1, 2, 4, 8, 16].filter((some) => some <= most || some === instances))];
  const sorted = all.toSorted((a, b) => a - b);
  const start = sorted.indexOf(instances);
  return {
    id: `${name}.instances`,
    model: name,
    kind: "instances",
    choices: sorted.map((some, index) => ({
      label: counted(some, "instance"),
      value: index === start ? undefined : { instances: some },
    })),
    ordered: true,
    start,
  };
};

/** How long to wait for a full batch, and the batch sizes that do not wait. */
const batchingKnobs = (step: TunedStep): readonly Knob[] => {
  const { name, delayUs, preferred, maxBatchSize, hasThreads } = step;
  const own = delayUs ?? -1;
  const all = [...new Set([own, -1, 0, ...(hasThreads || own > 0 ? [500, 2000] : [])])].toSorted(
    (a, b) => a - b,
  );
  const start = all.indexOf(own);
  const delay: Knob = {
    id: `${name}.delay`,
    model: name,
    kind: "batching",
    choices: all.map((us, index) => ({
      label: us < 0 ? "no batching" : us === 0 ? "batching without delay" : `${us / 1000} ms delay`,
      value: index === start && own <= 0 ? (own < 0 ? null : 0) : us < 0 ? null : us,
    })),
    ordered: true,
    start,
    // Without a delay, batches form while an instance is busy; with a delay, a single client always waits for nothing.
    ...(own > 0 ? { guess: all.indexOf(0) } : {}),
  };
  if (own <= 0 && preferred.length === 0) return [delay];
  const sizes = [preferred, [], ...[8, 16, 32].map((size) => [Math.min(size, maxBatchSize)])];
  const choices = sizes.map((some) => ({
    label: some.length === 0 ? "no preferred size" : `preferred size ${some.join(", ")}`,
    value: some,
  }));
  const distinct = choices.filter(
    ({ label }, index) => choices.findIndex((one) => one.label === label) === index,
  );
  return [
    delay,
    {
      id: `${name}.preferred`,
      model: name,
      kind: "batching",
      choices: distinct,
      ordered: false,
      start: 0,
    },
  ];
};

const paddingKnob = ({ name }: TunedStep, { value, maxLength }: NonNullable<TunedStep["padding"]>): Knob => {
  const multiples = [8, 16, 32, 64].filter((multiple) => multiple < maxLength);
  const known = [
    { label: "padding to the longest row", value: "longest" },
    ...multiples.map((multipleOf) => ({
      label: `padding to multiples of ${multipleOf}`,
      value: { multipleOf },
    })),
  ];
  const found = known.findIndex((one) => JSON.stringify(one.value) === JSON.stringify(value));
  const choices =
    found >= 0 ? known : [...known, { label: `unchanged padding, ${JSON.stringify(value)}`, value }];
  const start = found >= 0 ? found : known.length;
  return {
    id: `${name}.padding`,
    model: name,
    kind: "shape",
    choices,
    ordered: true,
    start,
    // Multiples of 32 are never far from the best: small multiples waste less, but fewer requests form a batch.
    guess: Math.min(3, multiples.length),
  };
};

const fuseKnob = ({ name }: TunedStep): Knob => ({
  id: `${name}.fuse`,
  model: name,
  kind: "shape",
  choices: [
    { label: "fused", value: undefined },
    { label: "separate models", value: false },
  ],
  ordered: false,
  start: 0,
});

const byLengthKnob = (ensemble: string, own: boolean): Knob => ({
  id: `${ensemble}.batchBy`,
  model: ensemble,
  kind: "shape",
  choices: [
    { label: "not batched by length", value: undefined },
    { label: "batched by length", value: "length" },
  ],
  ordered: false,
  start: own ? 1 : 0,
});

const cacheKnob = (ensemble: string, { repeated, all }: Repeats): Knob => ({
  id: `${ensemble}.responseCache`,
  model: ensemble,
  kind: "cache",
  choices: [
    { label: "every request runs", value: undefined },
    { label: "repeated requests answered from a cache", value: { enable: true } },
  ],
  ordered: false,
  start: 0,
  why: `${repeated} of ${counted(all, "request")} repeat an earlier one`,
});

/** All tensor math models of an ensemble have the same settings: those of its members. */
const mathKnob = (ensemble: string, math: string): Knob => ({
  id: `${ensemble}.members.instances`,
  model: math,
  kind: "instances",
  choices: [
    { label: "members unchanged", value: undefined },
    { label: "2 instances for members without their own setting", value: { instances: 2 } },
  ],
  ordered: true,
  start: 0,
});
