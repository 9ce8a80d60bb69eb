import { defineErrors, type MakeError } from "@tritype/core";

/** Errors from a client that calls a KServe server. */
export const clientErrors = {
  "request/cancelled-by-caller": {
    code: "request/cancelled",
    message: "the request to {address} was cancelled",
  },
  "request/unsafe-name": {
    code: "request/invalid",
    message: "{what} {name} cannot be sent over HTTP: it would lead to another address of the server",
    help: "check the name",
  },
  "server/silent": {
    code: "server/unreachable",
    message: "{address} did not answer within {time} ms",
    help: "check that the server is running, that the address is right, and that its answers do not need more time",
  },
  "server/unreachable": {
    code: "server/unreachable",
    message: "no server answers at {address}: {why}",
    help: "check that the server is running and that the address is right",
  },
} as const;

export const clientError: MakeError<typeof clientErrors> = defineErrors(clientErrors);
