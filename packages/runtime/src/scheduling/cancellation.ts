import { PipelineError } from "@tritype/core";
import type { ModelRequest } from "../backend.ts";
import { requestPrefix } from "../requests/request-error.ts";

export const cancelled = (id: string): PipelineError =>
  new PipelineError("request/cancelled", `${requestPrefix(id)}Request was cancelled`);

/** Calls `leave` once when the request is cancelled; what it returns stops the watch. */
export const onCancel = ({ signal }: ModelRequest, leave: () => void): (() => void) => {
  if (signal === undefined) return notWatched;
  signal.addEventListener("abort", leave, { once: true });
  return () => signal.removeEventListener("abort", leave);
};

const notWatched = (): void => {};
