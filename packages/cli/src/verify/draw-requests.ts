import { dirname } from "node:path";
import type { NamedTensors } from "@tritype/core";
import { type Endpoint, maxBatchSizeOf } from "@tritype/endpoint";
import { type BuiltProject, readManifest } from "@tritype/project";
import { isDecoupled } from "@tritype/triton";
import { sampleInputs } from "../bench/request-set.ts";
import { usage } from "../command.ts";
import { describeModel } from "../request-inputs.ts";
import { acceptedInputsOf } from "./accepted-inputs.ts";
import { answerOf } from "./compare-endpoints.ts";
import { streamedBy } from "./compare-streams.ts";
import { generatedRequests, type RequestFile, requestsIn } from "./sample-requests.ts";

/** The sources of requests. */
export interface RequestSources {
  /** Replaces all other sources. */
  readonly file: RequestFile | undefined;
  /** Whether requests generated from the types are added to the samples of the ensemble's `warmup`. */
  readonly generated: boolean;
}

/** The requests to send to an ensemble. @throws PipelineError `usage/invalid` if there are none. */
export const drawRequests = async (
  native: Endpoint,
  model: string,
  { repository, samples }: BuiltProject,
  { file, generated }: RequestSources,
): Promise<readonly NamedTensors[]> => {
  if (file !== undefined) return refuseNone(model, requestsIn(file, await describeModel(native, model)));
  const own = sampleInputs(model, samples);
  return refuseNone(model, [...own, ...(generated ? await acceptedRequests(native, model, repository) : [])]);
};

const refuseNone = (model: string, requests: readonly NamedTensors[]): readonly NamedTensors[] => {
  if (requests.length > 0) return requests;
  throw usage(
    `there is no request for \`${model}\`: the ensemble has no \`warmup\` samples`,
    "remove --no-generated, add `warmup` samples to the ensemble, or pass requests with --samples file.json",
  );
};

/** Varied requests, or shorter ones if the model refuses a long text (a tokenizer without truncation). */
const acceptedRequests = async (
  native: Endpoint,
  model: string,
  repository: string,
): Promise<readonly NamedTensors[]> => {
  const functions = functionSteps(dirname(repository));
  // An error thrown by a function counts as its answer, regardless of the text's length.
  const streams = isDecoupled(await native.config(model));
  const errorOf = async (inputs: NamedTensors): Promise<string | undefined> => {
    if (streams) return (await streamedBy(native, model, inputs))?.error;
    const answer = await answerOf(native, model, inputs);
    return typeof answer === "string" ? answer : undefined;
  };
  const isRefusal = (error: string | undefined): boolean =>
    error !== undefined && !functions.some((name) => error.includes(`${name}: `));
  const refused = async (requests: readonly NamedTensors[]): Promise<number> => {
    let count = 0;
    for (const inputs of requests) if (isRefusal(await errorOf(inputs))) count++;
    return count;
  };
  const metadata = await native.metadata(model);
  const maxBatchSize = await maxBatchSizeOf(native, model);
  const accepted = acceptedInputsOf(repository, model);
  const varied = generatedRequests(metadata, maxBatchSize, accepted);
  const ofVaried = await refused(varied);
  if (ofVaried === 0) return varied;
  const short = generatedRequests(metadata, maxBatchSize, accepted, "short");
  return (await refused(short)) < ofVaried ? short : varied;
};

/** Names of the models that run the user's functions. */
const functionSteps = (output: string): readonly string[] =>
  (readManifest(output)?.models ?? []).filter(({ kind }) => kind === "function").map(({ name }) => name);
