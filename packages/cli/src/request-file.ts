import { readFileSync } from "node:fs";
import {
  decodeUtf8,
  isObject,
  type NamedTensors,
  notReadable,
  parseExactJson,
  PipelineError,
  reworded,
  withoutMark,
} from "@tritype/core";
import type { ModelMetadata } from "@tritype/protocol";
import { type Nested, requestInputs } from "./request-inputs.ts";
import { cliError } from "./errors.ts";

/**
 * The content of a file named on the command line.
 * @param what The start of the error message.
 * @throws PipelineError `file/not-found`, `file/not-readable`
 */
export const readGivenFile = (path: string, what: string, shown: string = path): string =>
  decodeUtf8(withoutMark(readGivenBytes(path, `${what} ${shown}`)));

/** The same as bytes. @param shown The subject of the error message. */
export const readGivenBytes = (path: string, shown: string, help?: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw notReadable(shown, cause, help);
  }
};

/** A request, or a file of requests, as JSON. @param path The subject of the error message. @throws PipelineError `request/invalid` */
export const parseRequest = (path: string, text: string, help?: string): unknown => {
  try {
    return parseExactJson(text);
  } catch (cause) {
    const why = (cause as Error).message;
    throw cliError("request/not-json", { path, why }, { cause, ...(help !== undefined && { help }) });
  }
};

/** The tensors of a request `{ "input": values }`. @throws PipelineError `request/invalid` that names its position */
export const requestInputsAt = (
  where: string,
  request: unknown,
  { name, inputs }: ModelMetadata,
  help: string,
): NamedTensors => {
  if (!isObject(request)) throw cliError("request/not-an-object", { place: where }, { help });
  try {
    return requestInputs(name, inputs, new Map(Object.entries(request as Readonly<Record<string, Nested>>)));
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    throw reworded(error, `${where}: ${error.message}`, { cause: error, help });
  }
};

/** A request, and its position in a file, such as `texts.jsonl:3`, or its name as a sample. */
export interface PlacedRequest {
  readonly where: string;
  readonly inputs: NamedTensors;
}

/** The lines of a file that are not empty, each with its position. */
export const placedLines = (
  path: string,
  content: string,
): readonly { readonly where: string; readonly text: string }[] =>
  content
    .split(/\r?\n/)
    .map((text, index) => ({ where: `${path}:${index + 1}`, text }))
    .filter(({ text }) => text.trim() !== "");

/** The requests of JSON Lines: `{"text": ["a text"]}`. @throws PipelineError `request/invalid` */
export const requestLines = (
  path: string,
  content: string,
  model: ModelMetadata,
  help: string,
): readonly PlacedRequest[] =>
  placedLines(path, content).map(({ where, text }) => ({
    where,
    inputs: requestInputsAt(where, parseRequest(`${where}: it`, text, help), model, help),
  }));

/** The requests of a list. @throws PipelineError `request/invalid` */
export const listedRequests = (
  path: string,
  list: unknown,
  model: ModelMetadata,
  help: string,
): readonly PlacedRequest[] => {
  if (!Array.isArray(list)) throw cliError("request/not-a-list", { path }, { help });
  return list.map((request: unknown, index) => {
    const where = `${path}, request ${index + 1}`;
    return { where, inputs: requestInputsAt(where, request, model, help) };
  });
};
