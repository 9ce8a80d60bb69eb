import { defineErrors, type MakeError } from "@tritype/core";

/** Errors for models that cannot be served, or whose answers do not have their types. */
export const endpointErrors = {
  "model/not-served": {
    code: "model/unavailable",
    message: "{reason}",
  },
  "model/wrong-answer": {
    code: "model/failed",
    message: "the answer of `{model}` does not have its type: `{output}` {problem}",
    help: "`{maker}` produces this output, and Triton passes on whatever a model returns: return the declared type, or change the declaration",
  },
  "triton/no-backend": {
    code: "model/unavailable",
    message: "this Triton has no backend {backends}",
  },
} as const;

export const endpointError: MakeError<typeof endpointErrors> = defineErrors(endpointErrors);
