import { defineErrors, type MakeError } from "@tritype/core";

/** The server cannot start. */
export const serverErrors = {
  "port/cannot-listen": {
    code: "server/unreachable",
    message: "cannot listen on {host}: {why}",
    help: "name an address of this machine, or 0.0.0.0 for all of them",
  },
  "port/denied": {
    code: "port/in-use",
    message: "port {port} needs more rights",
    help: "choose a port above 1023 with {option}",
  },
  "port/in-use": {
    code: "port/in-use",
    message: "port {port} on {host} is in use",
    help: "stop what uses port {port}, or choose another with {option}",
  },
  "request/connection-closed": {
    code: "request/invalid",
    message: "the client closed the connection",
  },
  "request/not-decompressed": {
    code: "request/invalid",
    message: "the body cannot be decompressed: {why}",
    help: "compress with gzip or deflate, and send the whole body",
  },
  "request/not-supported": {
    code: "request/unsupported",
    message: "{what} is not supported by this server",
    help: "remove it, or use a real Triton",
  },
} as const;

export const serverError: MakeError<typeof serverErrors> = defineErrors(serverErrors);
