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
  /** Number of requests for which both sides failed with the same error. */
  readonly failedAlike: number;
  /**
   * Number of requests that the Python code explicitly refused, with an error named NotPortable, because it cannot know Node's
   * result.
   */
  readonly notPortable: number;
  /** The error of the first request that failed on both sides. */
  readonly firstError?: string;
  /** Whether time ran out before all requests were sent and answered. */
  readonly stopped: boolean;
  /** The smallest request found for which the results differ. */
  readonly difference?: {
    readonly inputs: NamedTensors;
    readonly node: Outcome;
    readonly python: Outcome;
  };
}

export interface StepTestOptions {
  readonly step: FunctionTwinOptions;
  /** The original function in Node. */
  readonly node: Endpoint;
  /** The emitted Python. */
  readonly python: Endpoint;
  /** Requests that reached the step; they are sent first. */
  readonly samples: readonly NamedTensors[];
  readonly material: Material;
  readonly seed: number;
  /** Number of requests to generate. */
  readonly runs: number;
  /** Milliseconds after which no further request is sent. */
  readonly limit: number;
  /** Called with the number of answered requests. */
  readonly onAnswer: (requests: number) => void;
}

/** Sends the same requests to the function in Node and to its Python translation until the results differ. */
export const testStep = async (options: StepTestOptions): Promise<StepTest> => {
  const { step, node, python, samples, material, seed, runs, limit, onAnswer } = options;
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
