import { defineErrors, type MakeError } from "@tritype/core";

/** The server cannot start. */
export const serverErrors = {
  "port/cannot-listen": {
    code: "server/unreachable",
    message: "cannot listen on {host}: {why}",
    help: "use one of this machine's addresses, or 0.0.0.0 for all of them",
  },
  "port/denied": {
    code: "port/in-use",
    message: "port {port} needs more privileges",
    help: "choose a port above 1023 with {option}",
  },
  "port/in-use": {
    code: "port/in-use",
    message: "port {port} on {host} is in use",
    help: "stop the program that uses port {port}, or choose another port with {option}",
  },
  "region/not-accessible": {
    code: "file/not-writable",
    message: "cannot access shared memory region '{name}': {why}",
  },
  "region/not-on-this-system": {
    code: "request/unsupported",
    message:
      "system shared memory is not supported on {platform}: this server uses /dev/shm, which only exists on Linux",
    help: "send the tensors in the request",
  },
  "region/shrunk": {
    code: "request/invalid",
    message: "the file of shared memory region '{name}' has shrunk since the region was registered",
    help: "unregister the region, and register it with its current size",
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
