import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { type NamedTensors, PipelineError, rowsOf, tryDecodeUtf8 } from "@tritype/core";
import type { ModelMetadata } from "@tritype/runtime";
import { parseRequest, requestInputsAt } from "../request-file.ts";
import { showType } from "../request-inputs.ts";

/** One request of a dataset. */
export interface DatasetRequest {
  /** `texts.jsonl:3`, or the name of a sample. */
  readonly where: string;
  readonly inputs: NamedTensors;
}

/** A line of a file, not yet read as the inputs of a model. */
interface Line {
  readonly where: string;
  readonly text: string;
}

/**
 * Requests of a file for a model. `.txt`: each line is the model's only input of text. `.json`: a list of `{ "input": values }`.
 * Anything else is JSON Lines: such an object on each line. Empty lines are skipped; numbers are exact.
 * @throws PipelineError `file/not-found`, `file/not-readable`, `request/invalid`, which name file and line.
 */
export const readDataset = (path: string, model: ModelMetadata): readonly DatasetRequest[] => {
  const content = readText(path);
  const name = basename(path);
  const help = `write one request on each line: { ${model.inputs.map(({ name: input }) => `"${input}": …`).join(", ")} }`;
  const requests =
    extname(path) === ".txt"
      ? textRequests(name, content, model)
      : extname(path) === ".json"
        ? listRequests(name, content, model, help)
        : linesOf(name, content).map((line) => ({
            where: line.where,
            inputs: requestInputsAt(line.where, parseRequest(line.where, line.text, help), model, help),
          }));
  if (requests.length === 0)
    throw new PipelineError("request/invalid", `${path} contains no requests`, { help });
  return requests;
};

const readText = (path: string): string => {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === "ENOENT" || code === "ENOTDIR"
      ? new PipelineError("file/not-found", `the dataset ${path} does not exist`, {
          cause: error,
          help: "check the path",
        })
      : new PipelineError(
          "file/not-readable",
          `the dataset ${path} cannot be read: ${code === "EISDIR" ? "it is a folder" : message}`,
          { cause: error, help: "name a file: .jsonl, .json or .txt" },
        );
  }
  const text = tryDecodeUtf8(bytes);
  if (text === undefined)
    throw new PipelineError("file/not-readable", `the dataset ${path} is not UTF-8`, {
      help: "save it as UTF-8",
    });
  return text.replace(/^\uFEFF/, "");
};

const linesOf = (name: string, content: string): readonly Line[] =>
  content
    .split(/\r?\n/)
    .map((text, index) => ({ where: `${name}:${index + 1}`, text }))
    .filter(({ text }) => text.trim() !== "");

const textRequests = (name: string, content: string, model: ModelMetadata): readonly DatasetRequest[] => {
  const [input, ...others] = model.inputs;
  if (input === undefined || others.length > 0 || input.datatype !== "BYTES")
    throw new PipelineError(
      "request/invalid",
      `${name}: lines of text are for a model with one text input; \`${model.name}\` takes ${model.inputs.map((one) => `\`${one.name}\` ${showType(one)}`).join(", ")}`,
      { help: "write a .jsonl file with an object of inputs on each line" },
    );
  return linesOf(name, content).map(({ where, text }) => ({
    where,
    inputs: requestInputsAt(where, { [input.name]: text }, model, "check the line"),
  }));
};

const listRequests = (
  name: string,
  content: string,
  model: ModelMetadata,
  help: string,
): readonly DatasetRequest[] => {
  const list = parseRequest(name, content, help);
  if (!Array.isArray(list))
    throw new PipelineError("request/invalid", `${name} does not contain a list of requests`, { help });
  return list.map((request: unknown, index) => {
    const where = `${name}, request ${index + 1}`;
    return { where, inputs: requestInputsAt(where, request, model, help) };
  });
};

/** How many rows of the dataset a request holds. */
export const requestRows = (inputs: NamedTensors, batched: boolean): number => (batched ? rowsOf(inputs) : 1);
