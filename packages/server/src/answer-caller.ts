import type { IncomingMessage } from "node:http";
import { headerLengthName } from "@tritype/protocol";
import { type Answer, emptyAnswer, errorAnswer } from "./answer.ts";
import type { CallerVerdict } from "./caller-check.ts";

/**
 * The response to a caller: 403 if it is refused; a page of an allowed origin also gets CORS headers, and responses to
 * its preflights.
 */
export const answerCaller = async (
  verdict: CallerVerdict,
  request: IncomingMessage,
  handle: () => Promise<Answer>,
): Promise<Answer> => {
  if (verdict.kind === "refused") return errorAnswer(403, verdict.reason);
  if (verdict.kind === "own") return handle();
  const { origin } = verdict;
  if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined)
    return { ...emptyAnswer(200), headers: { ...shared(origin), ...preflight(request) } };
  const answer = await handle();
  return { ...answer, headers: { ...answer.headers, ...shared(origin) } };
};

const shared = (origin: string): Answer["headers"] => ({
  "Access-Control-Allow-Origin": origin,
  "Access-Control-Expose-Headers": headerLengthName,
  Vary: "Origin",
});

const preflight = ({ headers }: IncomingMessage): Answer["headers"] => ({
  "Access-Control-Allow-Methods": "GET, POST",
  "Access-Control-Allow-Headers": headers["access-control-request-headers"] ?? "Content-Type",
  "Access-Control-Max-Age": "600",
  ...(headers["access-control-request-private-network"] === "true"
    ? { "Access-Control-Allow-Private-Network": "true" }
    : {}),
});
