import { indexRequestSteps } from "@tritype/protocol";
import { type Answer, jsonAnswer } from "./answer.ts";
import { inSlices } from "./in-slices.ts";
import { readBody } from "./read-body.ts";
import { repositoryIndex } from "./repository-index.ts";
import type { RouteContext } from "./route-context.ts";

/** `POST /v2/repository/index`, with `{"ready": true}` for only the ready models. */
export const indexRoute = async ({
  runtime,
  request,
  maxBodyBytes,
  signal,
}: RouteContext): Promise<Answer> => {
  const body = await readBody(request, maxBodyBytes);
  const onlyReady = await inSlices(indexRequestSteps(body), body.byteLength, signal);
  return jsonAnswer(await repositoryIndex(runtime, onlyReady));
};
