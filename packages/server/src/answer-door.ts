import type { Runtime } from "@tritype/runtime";
import type { Answer, StreamedAnswer } from "./answer.ts";
import type { HttpDoor } from "./http-door.ts";
import { readBody, readMessage } from "./read-body.ts";
import type { RouteContext } from "./route-context.ts";

/** The context of a request to a door. */
export type DoorContext = Pick<RouteContext, "request" | "maxBodyBytes" | "signal" | "onInternalError">;

/** The answer of a door. @param stream Sends its requests to models. */
export const answerDoor = (
  door: HttpDoor,
  path: string,
  context: DoorContext,
  stream: Runtime["stream"],
): Promise<Answer | StreamedAnswer> => {
  const { request, maxBodyBytes, signal, onInternalError } = context;
  return door.answer({
    method: request.method ?? "",
    path,
    readBody: (longest) => readBody(request, Math.min(longest, maxBodyBytes)),
    readMessage: (steps) => readMessage(context, steps),
    signal,
    onInternalError,
    askModel: (asked, trace) => stream(asked, signal, undefined, trace),
  });
};
