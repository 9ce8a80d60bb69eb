import { defineErrors, type MakeError } from "@tritype/core";

/** Errors about messages, with our own texts; errors with Triton's texts are `foreignError`s. */
export const protocolErrors = {
  "request/wrong-value": {
    code: "request/invalid",
    message: "{problem}",
  },
} as const;

export const protocolError: MakeError<typeof protocolErrors> = defineErrors(protocolErrors);
