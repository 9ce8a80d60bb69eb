import { indexRequestSteps } from "@tritype/protocol";
import { type Answer, jsonAnswer } from "./answer.ts";
import { readMessage } from "./read-body.ts";
import { repositoryIndex } from "./repository-index.ts";
import type { RouteContext } from "./route-context.ts";

/** `POST /v2/repository/index`, with `{"ready": true}` for only the ready models. */
export const indexRoute = async (context: RouteContext): Promise<Answer> =>
  jsonAnswer(await repositoryIndex(context.runtime, await readMessage(context, indexRequestSteps)));
