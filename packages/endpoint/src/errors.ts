import { defineErrors, type MakeError } from "@tritype/core";

/** Errors for models that cannot be served. */
export const endpointErrors = {
  "model/not-served": {
    code: "model/unavailable",
    message: "{reason}",
  },
  "triton/no-backend": {
    code: "model/unavailable",
    message: "this Triton has no backend {backends}",
  },
} as const;

export const endpointError: MakeError<typeof endpointErrors> = defineErrors(endpointErrors);
