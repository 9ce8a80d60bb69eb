import { foreignError, type PipelineError } from "@tritype/core";
import { requestPrefix } from "../requests/request-error.ts";

export const cancelled = (id: string): PipelineError =>
  foreignError("request/cancelled", `${requestPrefix(id)}Request was cancelled`);

/** Calls `act` once when the signal is aborted; the returned function stops listening. */
export const onAbort = (signal: AbortSignal | undefined, act: () => void): (() => void) => {
  if (signal === undefined) return notWatched;
  signal.addEventListener("abort", act, { once: true });
  return () => signal.removeEventListener("abort", act);
};

const notWatched = (): void => {};
