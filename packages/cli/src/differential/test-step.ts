import type { NamedTensors } from "@tritype/core";
import type { Endpoint } from "@tritype/endpoint";
import type { FunctionTwinOptions } from "@tritype/manifest";
import fc from "fast-check";
import { arbitraryRequest, type Material } from "./arbitrary-request.ts";
import { type Outcome, outcomeOf, sameOutcome } from "./compare-outcomes.ts";

/** The results of the requests to one function step. */
export interface StepTest {
  readonly step: string;
  readonly requests: number;
  /** How many of them both sides answered with the same error. */
  readonly failedAlike: number;
  /** How many the Python refused aloud, with an error called NotPortable, because it cannot know Node's answer. */
  readonly notPortable: number;
  /** The answer to the first request that failed on both sides. */
  readonly firstError?: string;
  /** Whether the time was over before all were sent and answered. */
  readonly stopped: boolean;
  /** The smallest request found that they answer differently. */
  readonly difference?: {
    readonly inputs: NamedTensors;
    readonly node: Outcome;
    readonly python: Outcome;
  };
}

export interface StepTestOptions {
  readonly step: FunctionTwinOptions;
  /** The function as it is. */
  readonly node: Endpoint;
  /** The emitted Python. */
  readonly python: Endpoint;
  /** Requests that reached the step; they are sent first. */
  readonly samples: readonly NamedTensors[];
  readonly material: Material;
  readonly seed: number;
  /** How many requests are made. */
  readonly runs: number;
  /** Milliseconds after which no further request is sent. */
  readonly limit: number;
  /** Hears how many requests were answered. */
  readonly onAnswer: (requests: number) => void;
}

/** Sends the same requests to the function in Node and to its Python until they differ. */
export const testStep = async ({
  step,
  node,
  python,
  samples,
  material,
  seed,
  runs,
  limit,
  onAnswer,
}: StepTestOptions): Promise<StepTest> => {
  let requests = 0;
  let failedAlike = 0;
  let notPortable = 0;
  let firstError: string | undefined;
  const compare = async (inputs: NamedTensors): Promise<StepTest["difference"]> => {
    const [ours, theirs] = await Promise.all(
      [node, python].map((endpoint) => outcomeOf(endpoint, step.step, inputs)),
    );
    if (ours === undefined || theirs === undefined || sameOutcome(ours, theirs)) {
      if (ours?.kind === "error") {
        failedAlike++;
        firstError ??= ours.text;
      }
      return undefined;
    }
    if (isNotPortable(theirs)) {
      notPortable++;
      return undefined;
    }
    return { inputs, node: ours, python: theirs };
  };
  let difference: StepTest["difference"];
  const { interrupted } = await fc.check(
    fc.asyncProperty(arbitraryRequest(step, material), async (inputs) => {
      const found = await compare(inputs);
      if (difference === undefined) onAnswer(++requests);
      if (found === undefined) return true;
      difference = found;
      return false;
    }),
    {
      seed,
      numRuns: runs + samples.length,
      examples: samples.map((sample) => [sample]),
      interruptAfterTimeLimit: limit,
    },
  );
  const stopped = interrupted && difference === undefined;
  return {
    step: step.step,
    requests,
    failedAlike,
    notPortable,
    stopped,
    ...(firstError === undefined ? {} : { firstError }),
    ...(difference === undefined ? {} : { difference }),
  };
};

const isNotPortable = (outcome: Outcome): boolean =>
  outcome.kind === "error" && /: row \d+: NotPortable: /.test(outcome.text);
