import type { Diagnostic, StepDefinition } from "@tritype/core";
import { diagnose } from "../diagnostics.ts";
import { findSequenceSteps } from "../graph/find-sequences.ts";
import type { StreamsOf } from "../graph/find-streams.ts";
import type { Program } from "../graph/program.ts";
import { definedAt, writtenAt } from "./check-declaration.ts";
import { misplacedOptions } from "./check-streams.ts";

/**
 * Checks for sequences where they are not allowed: in an ensemble with options that ignore them, and in code that calls models. Options of
 * ensembles that stream are reported as those of streams.
 */
export const checkSequences = (program: Program, streamsOf: StreamsOf): readonly Diagnostic[] => {
  const stepOf = findSequenceSteps(program);
  return [
    ...[...program.ensembles.values()].flatMap((ensemble) => {
      const step = stepOf(ensemble.name);
      return step === undefined || streamsOf(ensemble.name) !== undefined ? [] : checkOptions(ensemble, step);
    }),
    ...[...program.steps.values()].flatMap((caller) =>
      Object.entries(caller.callees ?? {}).flatMap(([name, { model }]) => {
        const step = stepOf(model);
        if (step === undefined) return [];
        return [
          diagnose("sequence/called", {
            with: { step: caller.name, model },
            labels: [...writtenAt(caller, "uses", name), ...definedAt(step, "has sequences")],
          }),
        ];
      }),
    ),
  ];
};

const checkOptions = (ensemble: StepDefinition, step: StepDefinition): readonly Diagnostic[] =>
  misplacedOptions("sequence/option", ensemble, [step, "has sequences"], {
    responseCache: [
      "a request with the same inputs as an earlier one, in any sequence, would get the earlier response",
      "remove `responseCache`, or set it on steps that have no sequences",
    ],
    warmup: [
      "the build runs each sample alone, but a request to the step must belong to a sequence",
      "remove `warmup`, since ensembles with sequences take no samples; set `modelWarmup` on the models that need it",
    ],
    batchBy: [
      "it calls the models after the tokenizer, and such calls do not belong to a sequence",
      "remove `batchBy`",
    ],
  });
