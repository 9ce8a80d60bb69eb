import type { NamedTensors } from "@tritype/core";
import type { Endpoint } from "@tritype/endpoint";
import { answerOf } from "../verify/compare-endpoints.ts";

/** The latencies of an endpoint. */
export interface SampleTimes {
  /** Milliseconds, in ascending order. */
  readonly times: Float64Array;
  /** The model's error messages, by the inputs of the sample. */
  readonly errors: ReadonlyMap<NamedTensors, string>;
}

/** Sends each sample `repeats` times, one request after the other. */
export const timeSamples = async (
  endpoint: Endpoint,
  model: string,
  samples: readonly NamedTensors[],
  repeats: number,
): Promise<SampleTimes> => {
  const times: number[] = [];
  const errors = new Map<NamedTensors, string>();
  for (let round = 0; round < repeats; round++)
    for (const inputs of samples) {
      const start = performance.now();
      const answer = await answerOf(endpoint, model, inputs);
      times.push(performance.now() - start);
      if (typeof answer === "string") errors.set(inputs, answer);
    }
  return { times: Float64Array.from(times).toSorted(), errors };
};
