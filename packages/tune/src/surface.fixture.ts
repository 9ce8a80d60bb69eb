import { choiceAt, type Knob, type Point } from "./knob.ts";
import type { StepTime } from "./measurement.ts";
import type { TunedEnsemble, TunedStep } from "./model-knobs.ts";

const step = (name: string, fields: Partial<TunedStep>): TunedStep => ({
  name,
  hasThreads: false,
  batched: true,
  device: "cpu",
  instances: 1,
  threads: undefined,
  delayUs: undefined,
  preferred: [],
  maxBatchSize: 64,
  parameters: undefined,
  dynamicBatching: undefined,
  ...fields,
});

/** One instance, 2 ms delay, wide buckets. */
export const badStart: TunedEnsemble = {
  name: "embed",
  steps: [
    step("tokenize", { padding: { value: { buckets: [64, 256] }, maxLength: 256 } }),
    step("encoder", {
      hasThreads: true,
      delayUs: 2000,
      preferred: [16],
      dynamicBatching: { maxQueueDelay: "2ms", preferredBatchSize: [16] },
    }),
  ],
  byLength: undefined,
  math: [{ name: "embed_embedding", device: "cpu" }],
};

/** Every combination of knob values. */
export const gridOf = (knobs: readonly Knob[]): readonly Point[] =>
  knobs.reduce<readonly Point[]>(
    (points, { id, choices }) =>
      points.flatMap((point) => choices.map((_, index) => ({ ...point, [id]: index }))),
    [{}],
  );

const labelAt = (knobs: readonly Knob[], point: Point, id: string): string => {
  const knob = knobs.find((one) => one.id === id);
  return knob?.choices[choiceAt(knob, point)]?.label ?? "";
};

const factor = (label: string, table: Readonly<Record<string, number>>): number => table[label] ?? 1;

const rate =
  (tables: Readonly<Record<string, Readonly<Record<string, number>>>>) =>
  (knobs: readonly Knob[], point: Point): number =>
    Object.entries(tables).reduce(
      (product, [id, table]) => product * factor(labelAt(knobs, point, id), table),
      100,
    );

/** Requests per second as products of factors, shaped like measurements on two cores. */
export const surfaceOf = {
  encoder: rate({
    "encoder.delay": { "no batching": 1.3, "batching without delay": 1.6, "0.5 ms delay": 1.4 },
    "tokenize.padding": {
      "padding to multiples of 8": 1.55,
      "padding to multiples of 16": 1.5,
      "padding to multiples of 32": 1.3,
      "padding to the longest row": 1.2,
    },
    "encoder.instances": { "2 instances × 1 thread": 0.9, "2 instances × 2 threads": 0.95 },
  }),
  instances: (knobs: readonly Knob[], point: Point): number => {
    const delay = labelAt(knobs, point, "encoder.delay");
    const layout = labelAt(knobs, point, "encoder.instances");
    // Splitting only helps without the delay.
    const split = layout === "2 instances × 1 thread" ? (delay.includes("without") ? 1.7 : 0.8) : 1;
    return 100 * split * factor(delay, { "no batching": 0.9, "batching without delay": 1.1 });
  },
  python: rate({
    "tokenize.instances": { "2 instances": 1.8 },
    "tokenize.delay": { "batching without delay": 1.3 },
    "encoder.delay": { "batching without delay": 1.02, "no batching": 0.9 },
  }),
  /** Most of the time is spent in the encoder, and everything queues a little. */
  steps: (knobs: readonly Knob[], point: Point): readonly StepTime[] =>
    (
      [
        ["tokenize", 40, 560],
        ["encoder", 4000, 5000],
        ["embed_embedding", 200, 300],
      ] as const
    ).map(([model, queueUs, computeInferUs]) => ({
      model,
      queueUs: labelAt(knobs, point, `${model}.instances`).startsWith("2") ? queueUs / 2 : queueUs,
      computeInputUs: 0,
      computeInferUs,
      computeOutputUs: 0,
      batches: [],
    })),
};
