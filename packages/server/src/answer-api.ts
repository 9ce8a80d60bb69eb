import type { Runtime } from "@tritype/runtime";
import type { Answer, StreamedAnswer } from "./answer.ts";
import type { HttpApi } from "./http-api.ts";
import { readBody, readMessage } from "./read-body.ts";
import type { RouteContext } from "./route-context.ts";

/** The context of a request to an additional API. */
export type ApiContext = Pick<RouteContext, "request" | "maxBodyBytes" | "signal" | "onInternalError">;

/** The answer of an additional API. @param stream Sends its requests to models. */
export const answerApi = (
  api: HttpApi,
  path: string,
  context: ApiContext,
  stream: Runtime["stream"],
): Promise<Answer | StreamedAnswer> => {
  const { request, maxBodyBytes, signal, onInternalError } = context;
  return api.answer({
    method: request.method ?? "",
    path,
    readBody: (longest) => readBody(request, Math.min(longest, maxBodyBytes)),
    readMessage: (steps) => readMessage(context, steps),
    signal,
    onInternalError,
    askModel: (asked, trace) => stream(asked, signal, undefined, trace),
  });
};
