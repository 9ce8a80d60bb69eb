import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { type NamedTensors, printRawData, rowsOf, reworded, PipelineError } from "@tritype/core";
import type { BuiltProject } from "@tritype/project";
import { readGivenFile, requestLines } from "../request-file.ts";
import type { DescribedModel } from "../request-inputs.ts";
import { type AcceptedInputs, generatedRequests } from "../verify/sample-requests.ts";
import { cliError } from "../errors.ts";

/** The requests to send, repeatedly and in random order. */
export interface RequestSet {
  /** "warmup samples of `embed`", "requests.jsonl", "generated from the types" */
  readonly source: string;
  readonly requests: readonly NamedTensors[];
  /** The number of rows in all requests; each request to a model without batching counts as 1. */
  readonly rows: number;
  /** The same tensors give the same hash. */
  readonly hash: string;
}

export interface RequestSources {
  /** A JSON Lines file, relative to `cwd`. */
  readonly file: string | undefined;
  readonly cwd: string;
  /** Requests from the `warmup` of all ensembles. */
  readonly samples: BuiltProject["samples"];
  readonly metadata: DescribedModel;
  readonly maxBatchSize: number;
  /** Constraints for generated requests. */
  readonly accepted: AcceptedInputs;
  /** Sends a request, and rejects if the server refuses it. */
  readonly send: (inputs: NamedTensors) => Promise<unknown>;
}

/**
 * The requests in the file, otherwise the ensemble's own samples, otherwise generated requests that match its types;
 * if the server refuses those, shorter texts, and then also without optional inputs.
 * Each is first sent once, so that a load test does not consist of refused requests.
 *
 * @throws PipelineError `usage/invalid`, `request/invalid` with the request's position in the file, or the server's
 * message for the first request that it refuses
 */
export const requestSet = async (sources: RequestSources): Promise<RequestSet> => {
  const { file, cwd, metadata, maxBatchSize, accepted: acceptedInputs } = sources;
  const set = (source: string, requests: readonly NamedTensors[]): RequestSet => ({
    source,
    requests,
    rows: requests.reduce((sum, inputs) => sum + (maxBatchSize > 0 ? rowsOf(inputs) : 1), 0),
    hash: hashOf(requests),
  });
  if (file !== undefined)
    return await accepted(sources, set(file, readRequests(resolve(cwd, file), metadata)));
  const samples = sampleInputs(metadata.name, sources.samples);
  if (samples.length > 0)
    return await accepted(sources, set(`warmup samples of \`${metadata.name}\``, samples));
  const source = "generated from the types";
  const generate = (length: "varied" | "short", inputs = metadata.inputs) =>
    generatedRequests({ ...metadata, inputs }, maxBatchSize, acceptedInputs, length);
  const required = metadata.inputs.filter(({ optional }) => optional !== true);
  const isShorter = required.length > 0 && required.length < metadata.inputs.length;
  const attempts = [
    () => set(source, generate("varied")),
    () => set(source, generate("short")),
    ...(isShorter ? [() => set(`${source}, without optional inputs`, generate("short", required))] : []),
  ];
  let refusal: unknown;
  for (const attempt of attempts) {
    try {
      return await accepted(sources, attempt());
    } catch (error) {
      if (!PipelineError.is(error) || error.code !== "request/invalid") throw error;
      refusal = error;
    }
  }
  throw refusal;
};

/** The inputs of an ensemble's samples. */
export const sampleInputs = (name: string, samples: BuiltProject["samples"]): readonly NamedTensors[] =>
  samples.filter(({ ensemble }) => ensemble === name).map(({ inputs }) => inputs);

const accepted = async ({ send }: RequestSources, set: RequestSet): Promise<RequestSet> => {
  for (const [index, inputs] of set.requests.entries())
    await send(inputs).catch((error: unknown) => {
      if (!PipelineError.is(error) || error.code === "server/unreachable") throw error;
      throw reworded(error, `${set.source}, request ${index + 1}: the server refused it: ${error.message}`, {
        cause: error,
        help: "send requests that the server can answer: --requests file.jsonl",
      });
    });
  return set;
};

/** One request per line: `{"text": ["a text"]}`; empty lines are ignored. */
const readRequests = (path: string, model: DescribedModel): readonly NamedTensors[] => {
  const help = `write one request per line: {${model.inputs.map(({ name }) => `"${name}": …`).join(", ")}}`;
  const requests = requestLines(path, readGivenFile(path, "--requests: the file"), model, help);
  if (requests.length === 0) throw cliError("request/none", { path }, { help });
  return requests.map(({ inputs }) => inputs);
};

const hashOf = (requests: readonly NamedTensors[]): string => {
  const hash = createHash("sha256");
  for (const inputs of requests)
    for (const [name, tensor] of inputs) {
      hash.update(JSON.stringify([name, tensor.dtype, tensor.shape]));
      hash.update(printRawData(tensor));
    }
  return hash.digest("hex");
};
