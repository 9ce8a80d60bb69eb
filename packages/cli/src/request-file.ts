import { readFileSync } from "node:fs";
import { type NamedTensors, PipelineError } from "@tritype/core";
import type { ModelMetadata } from "@tritype/protocol";
import { parseExactJson } from "./exact-json.ts";
import { type Nested, requestInputs } from "./request-inputs.ts";

/** The text of a file that the command line names. @param what Starts the message. @throws PipelineError `usage/invalid` */
export const readGivenFile = (path: string, what: string, shown: string = path): string => {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new PipelineError("usage/invalid", `${what} ${shown} cannot be read`, {
      cause,
      help: "check the path",
    });
  }
};

/** One request of a file, as JSON. @param where Its place in the file. @throws PipelineError `request/invalid` */
export const parseRequest = (where: string, text: string, help: string): unknown => {
  try {
    return parseExactJson(text);
  } catch (cause) {
    const message = `${where}: it is not JSON: ${(cause as Error).message}`;
    throw new PipelineError("request/invalid", message, { cause, help });
  }
};

/** The tensors of a request `{ "input": values }`. @throws PipelineError `request/invalid` that names its place */
export const requestInputsAt = (
  where: string,
  request: unknown,
  { name, inputs }: ModelMetadata,
  help: string,
): NamedTensors => {
  if (typeof request !== "object" || request === null || Array.isArray(request))
    throw new PipelineError("request/invalid", `${where}: it is not an object of inputs`, { help });
  try {
    return requestInputs(name, inputs, new Map(Object.entries(request as Readonly<Record<string, Nested>>)));
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    throw new PipelineError(error.code, `${where}: ${error.message}`, { cause: error, help });
  }
};
