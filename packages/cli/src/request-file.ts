import { readFileSync } from "node:fs";
import {
  decodeUtf8,
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
export const readGivenFile = (path: string, what: string, shown: string = path): string => {
  try {
    return decodeUtf8(withoutMark(readFileSync(path)));
  } catch (cause) {
    throw notReadable(`${what} ${shown}`, cause);
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
  if (typeof request !== "object" || request === null || Array.isArray(request))
    throw cliError("request/not-an-object", { place: where }, { help });
  try {
    return requestInputs(name, inputs, new Map(Object.entries(request as Readonly<Record<string, Nested>>)));
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    throw reworded(error, `${where}: ${error.message}`, { cause: error, help });
  }
};

/** The requests of a list, each with its position. @throws PipelineError `request/invalid` */
export const listedRequests = (
  path: string,
  list: unknown,
  model: ModelMetadata,
  help: string,
): readonly { readonly where: string; readonly inputs: NamedTensors }[] => {
  if (!Array.isArray(list)) throw cliError("request/not-a-list", { path }, { help });
  return list.map((request: unknown, index) => {
    const where = `${path}, request ${index + 1}`;
    return { where, inputs: requestInputsAt(where, request, model, help) };
  });
};
