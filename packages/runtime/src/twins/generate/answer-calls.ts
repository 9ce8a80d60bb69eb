import { messageOf, PipelineError } from "@tritype/core";
import {
  type Decoder,
  generate,
  openSearch,
  type Search,
  type Start,
  startingTogether,
} from "@tritype/generation";
import type { GenerateAnswer, GenerateCall, GenerateStart } from "./generate-messages.ts";
import { readRequest, writeAnswer } from "./read-request.ts";

/** A request: the starts of its rows and their searches, or its error. */
interface Job {
  readonly call: GenerateCall;
  readonly isWanted: () => boolean;
  starts: readonly Start[];
  searches: readonly Search[];
  failure: GenerateAnswer | undefined;
}

/**
 * Does the same as `execute` of the emitted `model.py`, with the same messages: generates the rows of all calls in
 * one loop.
 * @param isWanted Whether the call with this index is still needed.
 */
export const answerCalls = async (
  calls: readonly GenerateCall[],
  { options, outputs }: Pick<GenerateStart, "options" | "outputs">,
  openDecoder: () => Decoder,
  isWanted: (call: number) => boolean,
): Promise<readonly GenerateAnswer[]> => {
  const jobs = calls.map((call, index): Job => {
    const job = { call, isWanted: () => isWanted(index), starts: [], searches: [], failure: undefined };
    return read(job, options);
  });
  await search(
    jobs.filter(({ failure }) => failure === undefined),
    options,
    openDecoder,
  );
  return jobs.map((job) => {
    if (job.failure === undefined && !job.isWanted())
      return { code: "request/cancelled", text: `${options.step}: the request was cancelled` };
    if (job.failure !== undefined) return job.failure;
    const wanted = outputs.filter(({ name }) => job.call.outputs.includes(name));
    try {
      return {
        outputs: writeAnswer(
          job.searches.map((one) => one.results()),
          options,
          wanted,
        ),
      };
    } catch (error) {
      return failureOf(error, options.step);
    }
  });
};

const read = (job: Job, options: GenerateStart["options"]): Job => {
  try {
    job.starts = readRequest(new Map(job.call.inputs), options);
  } catch (error) {
    job.failure = failureOf(error, options.step);
  }
  return job;
};

const failureOf = (error: unknown, step: string): GenerateAnswer => ({
  code: PipelineError.is(error) ? error.code : "model/failed",
  text: `${step}: ${messageOf(error)}`,
});

/** Runs all rows together; if that fails, one request after the other, so that none fails because of another's rows. */
const search = async (
  jobs: readonly Job[],
  options: GenerateStart["options"],
  openDecoder: () => Decoder,
): Promise<void> => {
  try {
    for (const job of jobs) job.searches = job.starts.map(openSearch);
    const rows = jobs.flatMap((job) => job.searches.map((one) => ({ search: one, owner: job })));
    for (const group of startingTogether(rows, options.exported.padded))
      await generate(
        openDecoder(),
        group,
        (job) => job.failure === undefined && job.isWanted(),
        (job, error) => {
          job.failure = failureOf(error, options.step);
        },
      );
  } catch (error) {
    const [only] = jobs;
    if (jobs.length > 1) for (const job of jobs) await search([job], options, openDecoder);
    else if (only !== undefined) only.failure = failureOf(error, options.step);
  }
};
