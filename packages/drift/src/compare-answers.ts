import type { NamedTensors } from "@tritype/core";
import {
  type CollectorOptions,
  createTensorDrift,
  type TensorDrift,
  type TensorDriftCollector,
} from "./tensor-drift.ts";

/** Compares answers to the same requests. */
export interface AnswerComparison {
  /**
   * @param examples Dataset rows, one for each row of the answers; a single one for all of them if they are not batched.
   * @param batched Whether the first dim of every output is the batch.
   */
  add(examples: readonly number[], reference: NamedTensors, candidate: NamedTensors, batched: boolean): void;
  /** The reference's outputs in its own order, followed by those that only the candidate has. */
  summarize(): readonly TensorDrift[];
}

/** @param optionsOf The options for an output, by its name. */
export const compareAnswers = (
  optionsOf: (output: string) => CollectorOptions = () => ({}),
): AnswerComparison => {
  const collectors = new Map<string, TensorDriftCollector>();
  const collectorOf = (output: string): TensorDriftCollector => {
    const collector = collectors.get(output) ?? createTensorDrift(output, optionsOf(output));
    collectors.set(output, collector);
    return collector;
  };
  return {
    add: (examples, reference, candidate, batched) => {
      for (const output of new Set([...reference.keys(), ...candidate.keys()]))
        collectorOf(output).add(examples, reference.get(output), candidate.get(output), batched);
    },
    summarize: () => [...collectors.values()].map((collector) => collector.summarize()),
  };
};
