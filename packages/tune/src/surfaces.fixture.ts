import { choiceAt, type Knob, type Point } from "./knob.ts";
import type { StepTime } from "./measurement.ts";
import { knobsOf, type TunedEnsemble, type TunedStep } from "./model-knobs.ts";
import { gridOf } from "./surface.fixture.ts";

/** An ensemble with a bad start, and how fast it is with each of its settings. */
export interface Surface {
  readonly knobs: readonly Knob[];
  /** Maximum number of candidates: a tenth of the different builds. */
  readonly runs: number;
  readonly rateAt: (point: Point) => number;
  /** The rate with the best settings. */
  readonly best: number;
  readonly steps: readonly StepTime[];
}

type Labels = (knob: string) => string;
type Factors = Readonly<Record<string, number>>;

const step = (name: string, fields: Partial<TunedStep>): TunedStep => ({
  name,
  hasThreads: false,
  batched: true,
  device: "cpu",
  instances: 1,
  threads: undefined,
  delayUs: undefined,
  preferred: [],
  maxBatchSize: 32,
  parameters: undefined,
  dynamicBatching: undefined,
  ...fields,
});
/** An ONNX model whose requests wait for a batch. */
const model = (name: string): TunedStep => step(name, { hasThreads: true, delayUs: 2000, preferred: [16] });
const tokenize = step("tokenize", { padding: { value: { buckets: [128, 256] }, maxLength: 256 } });

/** @param micros Model → time in its queue and in its instances. */
const surface = (
  ensemble: Pick<TunedEnsemble, "steps" | "math">,
  cores: number,
  settings: readonly string[],
  builds: number,
  micros: Readonly<Record<string, readonly [queueUs: number, computeInferUs: number]>>,
  rate: (label: Labels) => number,
): Surface => {
  const whole = { name: "embed", byLength: undefined, ...ensemble };
  const all = knobsOf(whole, { target: { kind: "throughput" }, cores, code: true });
  const knobs = all.filter(({ id }) => settings.includes(id));
  const rateAt = (point: Point): number =>
    rate((id) => {
      const knob = knobs.find((one) => one.id === id);
      return knob?.choices[choiceAt(knob, point)]?.label ?? "";
    });
  return {
    knobs,
    runs: Math.min(24, Math.floor(builds / 10)),
    rateAt,
    best: Math.max(...gridOf(knobs).map(rateAt)),
    steps: Object.entries(micros).map(([name, [queueUs, computeInferUs]]) => ({
      model: name,
      queueUs,
      computeInputUs: 0,
      computeInferUs,
      computeOutputUs: 0,
      batches: [],
    })),
  };
};

const factor = (label: string, factors: Factors): number => factors[label] ?? 1;
const paddingOf = (label: Labels): string => label("tokenize.padding").split(" ").at(-1) ?? "";
const delays = { none: "no batching", zero: "batching without delay", half: "0.5 ms delay" } as const;

/** A tokenizer, an encoder and tensor math, of which the tokenizer takes nearly as much time as the encoder. */
const embed = (
  byDelay: Factors,
  layouts: Factors,
  math: number,
  paddings: Readonly<Record<string, Factors>>,
) =>
  surface(
    { steps: [tokenize, model("encoder")], math: [{ name: "embed_embedding", device: "cpu" }] },
    2,
    ["tokenize.padding", "encoder.instances", "encoder.delay", "embed.members.instances"],
    144,
    { tokenize: [2000, 1500], encoder: [1800, 2000], embed_embedding: [1500, 500] },
    (label) => {
      const delay = label("encoder.delay");
      return (
        factor(delay, byDelay) *
        factor(paddingOf(label), paddings[delay] ?? paddings["otherwise"] ?? {}) *
        factor(label("encoder.instances"), layouts) *
        (label("embed.members.instances").startsWith("2") ? math : 1)
      );
    },
  );
const hidden = { "8": 0.68, "16": 0.76, "32": 0.8, "64": 0.78, row: 0.6 };
const alone = { "8": 1.1, "16": 1.1, "32": 1.08, "64": 1.05, row: 1.1 };

const twoModels = (first: Factors, second: Factors, layouts: (isFast: boolean) => Factors): Surface =>
  surface(
    { steps: [model("first"), model("second")], math: [] },
    2,
    ["first.instances", "first.delay", "second.instances", "second.delay"],
    144,
    { first: [1000, 1500], second: [4000, 5000] },
    (label) =>
      [["first", first] as const, ["second", second] as const].reduce((product, [name, byDelay]) => {
        const delay = label(`${name}.delay`);
        const layout = label(`${name}.instances`);
        return product * factor(delay, byDelay) * factor(layout, layouts(delay === delays.zero));
      }, 1),
  );

const heavy = (cores: number, builds: number, byDelay: Factors, layouts: (isFast: boolean) => Factors) =>
  surface(
    { steps: [model("heavy")], math: [] },
    cores,
    ["heavy.instances", "heavy.delay", "heavy.preferred"],
    builds,
    { heavy: [4000, 5000] },
    (label) => {
      const delay = label("heavy.delay");
      const sizes = { "no preferred size": 0.97, "preferred size 8": 1.03, "preferred size 32": 0.95 };
      return (
        factor(delay, byDelay) *
        factor(label("heavy.instances"), layouts(delay === delays.zero)) *
        (delay === delays.zero || delay === delays.none ? 1 : factor(label("heavy.preferred"), sizes))
      );
    },
  );

/** By name: the benchmark's ensembles, and settings that depend on each other in other ways. */
export const surfaces: ReadonlyMap<string, Surface> = new Map([
  [
    "padding hardly matters, and looks bad with the long delay",
    embed(
      { [delays.none]: 0.75, [delays.zero]: 1.26, [delays.half]: 1.28 },
      { "2 instances × 1 thread": 0.93 },
      1.04,
      {
        otherwise: hidden,
        [delays.none]: alone,
        [delays.zero]: { "8": 0.75, "16": 0.85, "32": 1.06, "64": 1.04, row: 0.7 },
        [delays.half]: { "8": 0.85, "32": 1.1, "64": 1.06, row: 0.75 },
      },
    ),
  ],
  [
    "padding matters, and looks bad with the long delay",
    embed(
      { [delays.none]: 0.8, [delays.zero]: 1.25, [delays.half]: 1.3 },
      { "2 instances × 1 thread": 0.93, "2 instances × 2 threads": 1.02 },
      1.04,
      Object.fromEntries([
        ["otherwise", hidden],
        ...Object.values(delays).map(
          (delay) => [delay, { "8": 1.2, "16": 1.3, "32": 1.25, "64": 1.15, row: 1.05 }] as const,
        ),
      ]),
    ),
  ],
  [
    "padding helps only with a short delay, which helps only with padding",
    embed(
      { [delays.none]: 0.75, [delays.zero]: 1.29, [delays.half]: 1.28 },
      { "2 instances × 1 thread": 0.96, "2 instances × 2 threads": 1.03 },
      1.06,
      {
        otherwise: hidden,
        [delays.none]: alone,
        [delays.zero]: { "8": 0.55, "16": 0.6, "32": 0.9, "64": 0.95, row: 0.55 },
        [delays.half]: { "8": 0.85, "32": 1.08, "64": 1.04, row: 0.75 },
      },
    ),
  ],
  [
    "two models that few settings affect",
    twoModels(
      { [delays.none]: 0.9, [delays.zero]: 1.03, [delays.half]: 1.01 },
      { [delays.none]: 0.85, [delays.half]: 0.99 },
      () => ({ "2 instances × 1 thread": 1.01, "2 instances × 2 threads": 0.96 }),
    ),
  ],
  [
    "two models that wait in vain, and want two instances without the delay",
    twoModels(
      { [delays.none]: 0.9, [delays.zero]: 1.12, [delays.half]: 1.08 },
      { [delays.none]: 0.85, [delays.zero]: 1.15, [delays.half]: 1.12 },
      (isFast) => ({
        "2 instances × 1 thread": isFast ? 1.09 : 0.92,
        "2 instances × 2 threads": 0.96,
      }),
    ),
  ],
  [
    "a slow model, with 3 candidates",
    heavy(2, 30, { [delays.none]: 0.5, [delays.zero]: 1.1, [delays.half]: 1.08 }, () => ({
      "2 instances × 1 thread": 0.97,
      "2 instances × 2 threads": 0.95,
    })),
  ],
  [
    "a slow model that wants two instances without the delay, with 3 candidates",
    heavy(2, 30, { [delays.none]: 0.5, [delays.zero]: 1.15, [delays.half]: 1.1 }, (isFast) => ({
      "2 instances × 1 thread": isFast ? 1.2 : 0.95,
      "2 instances × 2 threads": 0.95,
    })),
  ],
  [
    "8 processors, where only 4 instances of 2 threads and their neighbours help",
    heavy(8, 50, { [delays.none]: 0.8, [delays.zero]: 1.15, [delays.half]: 1.1 }, () => ({
      "2 instances × 8 threads": 0.85,
      "2 instances × 4 threads": 0.98,
      "4 instances × 2 threads": 1.5,
      "8 instances × 1 thread": 1.3,
    })),
  ],
  [
    "settings that do not depend on each other",
    embed(
      { [delays.none]: 1.3, [delays.zero]: 1.6, [delays.half]: 1.4 },
      { "2 instances × 1 thread": 0.9, "2 instances × 2 threads": 0.95 },
      1,
      { otherwise: { "8": 1.55, "16": 1.5, "32": 1.3, row: 1.2 } },
    ),
  ],
]);
