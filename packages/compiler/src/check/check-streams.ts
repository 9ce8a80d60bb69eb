import type { Diagnostic, StepDefinition } from "@tritype/core";
import { diagnose } from "../diagnostics.ts";
import { rawFields } from "../emit/field-places.ts";
import { decoupledIn, type StreamsOf } from "../graph/find-streams.ts";
import type { EnsembleDefinition, Program } from "../graph/program.ts";
import type { ReadSteps, StepKind } from "../step-kind.ts";
import { definedAt, ownMaxBatchSize, writtenAt } from "./check-declaration.ts";
import { checkStreamJoins } from "./check-stream-joins.ts";

/**
 * Checks for streams where they are not allowed: next to other tensors, in an ensemble with options that expect a single response, and
 * in code that calls models. Also checks that the types of ensembles specify which of them stream.
 */
export const checkStreams = (
  { ensembles, steps: all }: Program,
  steps: ReadSteps,
  streamsOf: StreamsOf,
): readonly Diagnostic[] => [
  ...[...ensembles.values()].flatMap((ensemble) => {
    const step = streamsOf(ensemble.name);
    const isOneRow = step !== undefined && steps.get(step.name)?.read.streams === true;
    const joins = checkStreamJoins(ensemble, streamsOf);
    return [
      ...joins,
      // Removing a join may change the type.
      ...(joins.length > 0 ? [] : checkType(ensemble, step)),
      ...(step === undefined ? [] : checkOptions(ensemble, step, isOneRow)),
    ];
  }),
  ...[...all.values()].flatMap((step) =>
    Object.values(step.callees ?? {}).flatMap(({ model }) =>
      streamsOf(model) === undefined
        ? []
        : [diagnose("stream/called", { with: { step: step.name, model }, labels: definedAt(step) })],
    ),
  ),
];

/** Checks that a step is not decoupled if its kind's code answers once: Triton would refuse its responses. */
export const checkAnswersOnce = (
  step: StepDefinition,
  answersOnce: StepKind["answersOnce"],
): readonly Diagnostic[] => {
  if (answersOnce !== true || decoupledIn(step) !== true) return [];
  const path = rawFields(step).has("model_transaction_policy")
    ? ["raw"]
    : ["modelTransactionPolicy", "decoupled"];
  const parameters = { step: step.name, option: path.join(".") };
  return [diagnose("stream/answers-once", { with: parameters, labels: writtenAt(step, ...path) })];
};

/** Types do not follow a stream through tensor math, so the author declares it: `stream(…)`. */
const checkType = (ensemble: EnsembleDefinition, step: StepDefinition | undefined): readonly Diagnostic[] => {
  if (ensemble.typedAsStream === (step !== undefined)) return [];
  const [fact, typed, advice] =
    step === undefined
      ? ["sends one response, because none of its steps streams", "streams", "remove `stream(…)`"]
      : [
          `streams, because its step \`${step.name}\` does`,
          "answers once",
          "types do not follow a stream through tensor math: mark an output in `run`, for example `{ score: stream(score) }`",
        ];
  const labels = [...definedAt(ensemble), ...(step === undefined ? [] : definedAt(step, "streams"))];
  return [diagnose("stream/typed", { with: { ensemble: ensemble.name, fact, typed, advice }, labels })];
};

const checkOptions = (
  ensemble: StepDefinition,
  step: StepDefinition,
  isOneRow: boolean,
): readonly Diagnostic[] =>
  misplacedOptions("stream/option", ensemble, [step, "streams"], {
    ...(isOneRow && ownMaxBatchSize(ensemble) !== 1 ? { maxBatchSize: severalRows } : {}),
    batchBy: ["it calls the models after the tokenizer and waits for one response", "remove `batchBy`"],
    warmup: [
      "the build runs its samples and captures one response from each model",
      "remove `warmup`; set `modelWarmup` on the models that need it",
    ],
    responseCache: ["the cache keeps one response per request", "remove `responseCache`"],
  });

const severalRows = [
  "it must be 1, since a request to the step has one row",
  "set `maxBatchSize: 1`; rows of different requests still run together",
] as const;

/** Options that an ensemble cannot have because of one of its steps: option → the reason, and what to do. */
export const misplacedOptions = (
  code: "sequence/option" | "stream/option",
  ensemble: StepDefinition,
  [step, text]: readonly [StepDefinition, string],
  reasons: Readonly<Record<string, readonly [string, string]>>,
): readonly Diagnostic[] =>
  Object.entries(reasons).flatMap(([option, [reason, advice]]) => {
    const value = ensemble.options[option] as { readonly enable?: unknown } | undefined;
    if (value === undefined || (option === "responseCache" && value.enable !== true)) return [];
    const parameters = { ensemble: ensemble.name, step: step.name, option, reason, advice };
    const labels = [...writtenAt(ensemble, option), ...definedAt(step, text)];
    return [diagnose(code, { with: parameters, labels })];
  });
