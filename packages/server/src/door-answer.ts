import type { Answer, StreamedAnswer } from "./answer.ts";
import type { HttpDoor } from "./http-door.ts";
import { readBody } from "./read-body.ts";
import type { RouteContext } from "./route-context.ts";

/** The answer of another API to the request of a route. */
export const doorAnswer = (
  door: HttpDoor,
  path: string,
  { runtime, request, maxBodyBytes, signal, onInternalError }: RouteContext,
): Promise<Answer | StreamedAnswer> =>
  door.answer({
    method: request.method ?? "",
    path,
    readBody: (longest) => readBody(request, Math.min(longest, maxBodyBytes)),
    onInternalError,
    askModel: (asked) => runtime.stream(asked, signal),
  });
