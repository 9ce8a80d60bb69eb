import type { PipelineError } from "@tritype/core";
import { clientError } from "./errors.ts";

/** The error for a server that has not answered within its time limit. */
export const silentError = (address: string, timeoutMs: number | undefined, cause: unknown): PipelineError =>
  clientError("server/silent", { address, time: String(timeoutMs) }, { cause });
