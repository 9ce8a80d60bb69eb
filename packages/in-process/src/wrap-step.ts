import { invariant } from "@tritype/core";
import { type AnyHandles, defineEnsemble, recordOf, type StepRecord } from "@tritype/dsl";
import type { AnyStep } from "./any-step.ts";

/** Batch size of a step without its own `maxBatchSize`. */
const generousBatch = 1024;

/** An ensemble that contains only the step, so that the step is compiled; requests go to the step's own model. */
export const wrapStep = (step: AnyStep, { name, inputs, options }: StepRecord): StepRecord => {
  const batched = Object.values(inputs).some(({ dims }) => dims[0] === "batch");
  const own = options["maxBatchSize"];
  const call = step as unknown as (wires: object) => AnyHandles;
  const ensemble = defineEnsemble({
    name: `${name}_alone`,
    ...(batched ? { maxBatchSize: typeof own === "number" ? own : generousBatch } : {}),
    inputs,
    // An output must not have the name of an input.
    run: (handles) =>
      Object.fromEntries(
        Object.entries(call(handles)).map(([output, handle]) => [
          output in inputs ? `${output}_out` : output,
          handle,
        ]),
      ),
  });
  const record = recordOf(ensemble);
  invariant(record !== undefined, "an ensemble has a record");
  return record;
};
