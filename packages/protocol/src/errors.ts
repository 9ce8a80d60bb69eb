import { defineErrors, type MakeError } from "@tritype/core";

/** Errors about messages, in our own words; errors in Triton's words are `foreignError`s. */
export const protocolErrors = {
  "request/wrong-value": {
    code: "request/invalid",
    message: "{problem}",
  },
} as const;

export const protocolError: MakeError<typeof protocolErrors> = defineErrors(protocolErrors);
