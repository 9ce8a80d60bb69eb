import { basename, extname } from "node:path";
import { type NamedTensors, rowsOf, tryDecodeUtf8, withoutMark } from "@tritype/core";
import type { ModelMetadata } from "@tritype/runtime";
import {
  listedRequests,
  parseRequest,
  type PlacedRequest,
  placedLines,
  readGivenBytes,
  requestInputsAt,
  requestLines,
} from "../request-file.ts";
import { showType } from "../request-inputs.ts";
import { cliError } from "../errors.ts";

/**
 * A model's requests from a file. `.txt`: each line is a value for the model's only text input. `.json`: a list of `{ "input": values }`.
 * Any other file is JSON Lines, with such an object on each line. Empty lines are skipped; numbers are exact.
 * @throws PipelineError `file/not-found`, `file/not-readable`, `request/invalid`, which state the file and line.
 */
export const readDataset = (path: string, model: ModelMetadata): readonly PlacedRequest[] => {
  const content = readText(path);
  const name = basename(path);
  const help = `write one request on each line: { ${model.inputs.map(({ name: input }) => `"${input}": …`).join(", ")} }`;
  const requests =
    extname(path) === ".txt"
      ? textRequests(name, content, model)
      : extname(path) === ".json"
        ? listedRequests(name, parseRequest(name, content, help), model, help)
        : requestLines(name, content, model, help);
  if (requests.length === 0) throw cliError("request/none", { path }, { help });
  return requests;
};

const readText = (path: string): string => {
  const bytes = readGivenBytes(path, `the dataset ${path}`, "name a file: .jsonl, .json or .txt");
  const text = tryDecodeUtf8(withoutMark(bytes));
  if (text === undefined) throw cliError("drift/dataset-not-utf8", { path });
  return text;
};

const textRequests = (name: string, content: string, model: ModelMetadata): readonly PlacedRequest[] => {
  const [input, ...others] = model.inputs;
  if (input === undefined || others.length > 0 || input.datatype !== "BYTES")
    throw cliError("drift/one-text-input", {
      dataset: name,
      model: model.name,
      inputs: model.inputs.map((one) => `\`${one.name}\` ${showType(one)}`).join(", "),
    });
  return placedLines(name, content).map(({ where, text }) => ({
    where,
    inputs: requestInputsAt(where, { [input.name]: text }, model, "check the line"),
  }));
};

/** The number of rows in a request. */
export const requestRows = (inputs: NamedTensors, batched: boolean): number => (batched ? rowsOf(inputs) : 1);
