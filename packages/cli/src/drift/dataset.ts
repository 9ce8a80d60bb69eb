import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { type NamedTensors, notReadable, rowsOf, tryDecodeUtf8, withoutMark } from "@tritype/core";
import type { ModelMetadata } from "@tritype/runtime";
import { listedRequests, parseRequest, requestInputsAt } from "../request-file.ts";
import { showType } from "../request-inputs.ts";
import { cliError } from "../errors.ts";

/** One request of a dataset. */
export interface DatasetRequest {
  /** `texts.jsonl:3`, or the name of a sample. */
  readonly where: string;
  readonly inputs: NamedTensors;
}

/** A line of a file, not yet parsed as the inputs of a model. */
interface Line {
  readonly where: string;
  readonly text: string;
}

/**
 * A model's requests from a file. `.txt`: each line is a value for the model's only text input. `.json`: a list of `{ "input": values }`.
 * Any other file is JSON Lines, with such an object on each line. Empty lines are skipped; numbers are exact.
 * @throws PipelineError `file/not-found`, `file/not-readable`, `request/invalid`, which state the file and line.
 */
export const readDataset = (path: string, model: ModelMetadata): readonly DatasetRequest[] => {
  const content = readText(path);
  const name = basename(path);
  const help = `write one request on each line: { ${model.inputs.map(({ name: input }) => `"${input}": …`).join(", ")} }`;
  const requests =
    extname(path) === ".txt"
      ? textRequests(name, content, model)
      : extname(path) === ".json"
        ? listedRequests(name, parseRequest(name, content, help), model, help)
        : linesOf(name, content).map(({ where, text }) => ({
            where,
            inputs: requestInputsAt(where, parseRequest(`${where}: it`, text, help), model, help),
          }));
  if (requests.length === 0) throw cliError("request/none", { path }, { help });
  return requests;
};

const readText = (path: string): string => {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw notReadable(`the dataset ${path}`, error, "name a file: .jsonl, .json or .txt");
  }
  const text = tryDecodeUtf8(withoutMark(bytes));
  if (text === undefined) throw cliError("drift/dataset-not-utf8", { path });
  return text;
};

const linesOf = (name: string, content: string): readonly Line[] =>
  content
    .split(/\r?\n/)
    .map((text, index) => ({ where: `${name}:${index + 1}`, text }))
    .filter(({ text }) => text.trim() !== "");

const textRequests = (name: string, content: string, model: ModelMetadata): readonly DatasetRequest[] => {
  const [input, ...others] = model.inputs;
  if (input === undefined || others.length > 0 || input.datatype !== "BYTES")
    throw cliError("drift/one-text-input", {
      dataset: name,
      model: model.name,
      inputs: model.inputs.map((one) => `\`${one.name}\` ${showType(one)}`).join(", "),
    });
  return linesOf(name, content).map(({ where, text }) => ({
    where,
    inputs: requestInputsAt(where, { [input.name]: text }, model, "check the line"),
  }));
};

/** The number of rows in a request. */
export const requestRows = (inputs: NamedTensors, batched: boolean): number => (batched ? rowsOf(inputs) : 1);
