import { defineErrors, type MakeError } from "./error.ts";

/** Errors that every package may throw, about files and values that do not fit. */
export const generalErrors = {
  "file/not-found": {
    code: "file/not-found",
    message: "{path} does not exist",
    help: "check the path",
  },
  "file/not-readable": {
    code: "file/not-readable",
    message: "{path} cannot be read: {why}",
    help: "check its permissions, and that it is complete",
  },
  "file/not-writable": {
    code: "file/not-writable",
    message: "cannot write to {path}: {why}",
  },
  "request/text-too-long": {
    code: "request/too-large",
    message: "a string of {size} bytes is too long: JavaScript's limit is {limit}",
    help: "send it in parts, or as UINT8",
  },
  "server/unreadable-answer": {
    code: "request/malformed",
    message: "the server's answer cannot be read: {why}",
    help: "check that the address belongs to Triton, and not to a proxy or another program",
  },
  "tensor/wrong-size": {
    code: "tensor/wrong-size",
    message: "shape [{shape}] has {expected} elements, got {got}",
    help: "make the values match the shape",
  },
} as const;

export const generalError: MakeError<typeof generalErrors> = defineErrors(generalErrors);
