import { parseIndexRequest } from "@tritype/protocol";
import { type Answer, jsonAnswer } from "./answer.ts";
import { readBody } from "./read-body.ts";
import { repositoryIndex } from "./repository-index.ts";
import type { RouteContext } from "./route-context.ts";

/** `POST /v2/repository/index`, with `{"ready": true}` for the models that answer. */
export const indexRoute = async ({ runtime, request, maxBodyBytes }: RouteContext): Promise<Answer> => {
  const onlyReady = parseIndexRequest(await readBody(request, maxBodyBytes));
  return jsonAnswer(await repositoryIndex(runtime, onlyReady));
};
