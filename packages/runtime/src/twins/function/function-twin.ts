import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { functionFiles, functionTwinSchema } from "@tritype/manifest";
import { foreignError, messageOf } from "@tritype/core";
import type { LoadedModel, ModelRequest, ModelResult, ModelVersion } from "../../backend.ts";
import type { FunctionStart } from "./function-messages.ts";
import { type FunctionThread, openFunctionThread } from "./function-thread.ts";
import type { Places } from "./tell-error.ts";
import { runtimeError } from "../../errors.ts";
import { readOptions } from "../read-options.ts";

/**
 * The native twin of a function step: the user's function in a thread, with the same tensors, error messages
 * and codes as the emitted `model.py`, which is the contract. Only the module of the version folder is
 * loaded.
 * @throws PipelineError as `loadTwin` does.
 */
export const loadFunctionTwin = async (options: unknown, model: ModelVersion): Promise<LoadedModel> => {
  const read = readOptions(functionTwinSchema, options, model);
  const start: FunctionStart = {
    module: pathToFileURL(join(model.versionFolder, functionFiles.module)).href,
    options: read,
    places: await readPlaces(model),
  };
  const thread = await openFunctionThread(start).catch((cause: unknown) => {
    const reason = messageOf(cause);
    throw runtimeError("model/twin-not-loaded", { step: read.step, why: reason }, { cause });
  });
  return {
    execute: (requests) => Promise.all(requests.map((request) => respond(request, read.step, thread))),
    close: () => thread.close(),
  };
};

const readPlaces = async (model: ModelVersion): Promise<Places> => {
  try {
    const text = await readFile(join(model.versionFolder, functionFiles.lines), "utf8");
    const lines = JSON.parse(text) as Readonly<Record<string, Places>>;
    return lines[functionFiles.module] ?? {};
  } catch (cause) {
    throw runtimeError("manifest/twin-options", { model: model.name }, { cause });
  }
};

const respond = async (
  { inputs, outputs, signal }: ModelRequest,
  step: string,
  thread: FunctionThread,
): Promise<ModelResult> => {
  const answer = await thread.call({ inputs: [...inputs], outputs }, signal);
  if (answer.kind === "answer") return { outputs: new Map(answer.outputs) };
  const error = foreignError(answer.code, `${step}: ${answer.text}`);
  return answer.code === "request/cancelled" ? { error } : { error, counts: "answer" };
};
