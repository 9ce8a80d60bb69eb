import { foreignError } from "@tritype/core";
import { indexRequestSteps, loadRequestSteps, unloadRequestSteps } from "@tritype/protocol";
import { type Answer, emptyAnswer, jsonAnswer } from "./answer.ts";
import { readMessage } from "./read-body.ts";
import type { RouteContext } from "./route-context.ts";
import { repositoryIndex } from "./repository-index.ts";

/** `POST /v2/repository/models/<model>/load` */
export const loadRoute = async (context: RouteContext, model: string): Promise<Answer> => {
  await context.runtime.load(model, await readMessage(context, loadRequestSteps));
  return emptyAnswer;
};

/** `POST /v2/repository/models/<model>/unload` */
export const unloadRoute = async (context: RouteContext, model: string): Promise<Answer> => {
  await context.runtime.unload(model, await readMessage(context, unloadRequestSteps));
  return emptyAnswer;
};

/**
 * Triton's routes accept the name of a repository, but then do not support it.
 * @throws PipelineError `request/unsupported`
 */
export const refuseRepositoryName = (): never => {
  throw foreignError("request/unsupported", "'repository_name' specification is not supported");
};

/** `POST /v2/repository/index`, with `{"ready": true}` for only the ready models. */
export const indexRoute = async (context: RouteContext): Promise<Answer> =>
  jsonAnswer(await repositoryIndex(context.runtime, await readMessage(context, indexRequestSteps)));
