import type { Failure } from "./target.ts";

const timeouts: ReadonlySet<string> = new Set([
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The meaning of a socket, HTTP/2 or undici error for a request that was sent. */
export const lostConnection = (error: unknown, timeoutMs: number): Failure => {
  const { code = "", message = String(error) } = rootOf(error);
  if (timeouts.has(code)) return noAnswer(timeoutMs);
  const known = /^E[A-Z]+$/.test(code) && code !== "ECONNRESET" && code !== "EPIPE";
  return { status: known ? code : "connection lost", message: message || code, lost: true };
};

export const noAnswer = (timeoutMs: number): Failure => ({
  status: `no answer in ${timeoutMs / 1000} s`,
  message: "the request ran out of time",
  lost: false,
});

/** If a name has several addresses, the system's reason is in the list of attempts. */
const rootOf = (error: unknown): { readonly code?: string; readonly message?: string } => {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  return error as { readonly code?: string; readonly message?: string };
};
