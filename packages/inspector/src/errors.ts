import { defineErrors, type MakeError } from "@tritype/core";

/** The inspector's errors. */
export const inspectorErrors = {
  "inspect/no-models": {
    code: "request/unsupported",
    message: "the server at {url} lists neither its models nor their statistics",
    help: "name the models to show: --model <name>",
  },
  "inspect/only-grpc": {
    code: "request/unsupported",
    message: "`{model}` streams its answers, which servers only do over gRPC",
    help: "pass the server's gRPC address: {option} localhost:8001",
  },
  "inspect/unknown-model": {
    code: "model/not-found",
    message: "Request for unknown model: '{model}' is not found",
    help: "reload the page to see the models that the server has now",
  },
} as const;

export const inspectorError: MakeError<typeof inspectorErrors> = defineErrors(inspectorErrors);
