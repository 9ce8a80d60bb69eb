import { foreignError } from "@tritype/core";
import { loadRequestSteps, unloadRequestSteps } from "@tritype/protocol";
import { type Answer, emptyAnswer } from "./answer.ts";
import { inSlices } from "./in-slices.ts";
import { readBody } from "./read-body.ts";
import type { RouteContext } from "./route-context.ts";

/** `POST /v2/repository/models/<model>/load` */
export const loadRoute = async (
  { runtime, request, maxBodyBytes, signal }: RouteContext,
  model: string,
): Promise<Answer> => {
  const body = await readBody(request, maxBodyBytes);
  await runtime.load(model, await inSlices(loadRequestSteps(body), body.byteLength, signal));
  return emptyAnswer(200);
};

/** `POST /v2/repository/models/<model>/unload` */
export const unloadRoute = async (
  { runtime, request, maxBodyBytes, signal }: RouteContext,
  model: string,
): Promise<Answer> => {
  const body = await readBody(request, maxBodyBytes);
  await runtime.unload(model, await inSlices(unloadRequestSteps(body), body.byteLength, signal));
  return emptyAnswer(200);
};

/**
 * Triton's routes accept the name of a repository, but then do not support it.
 * @throws PipelineError `request/unsupported`
 */
export const refuseRepositoryName = (): never => {
  throw foreignError("request/unsupported", "'repository_name' specification is not supported");
};
