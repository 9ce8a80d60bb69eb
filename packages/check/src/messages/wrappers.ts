import type { MessageWrapper } from "./server-message.ts";

const pythonRaised = {
  fixIn: "model-code",
  means: "the Python code of `{model}` raised an exception",
  why: "An exception in `execute` fails all requests of that call.",
  help: "read the traceback: the lines after `At:` give the file, line and function, innermost first; `pipeline check` finds common errors without a request",
} as const;

/** Text around other messages that says where something happened. */
export const wrappers: readonly MessageWrapper[] = [
  {
    says: "Poll failed for model directory '{model}': {cause:rest}",
    at: "load",
    where:
      "Triton could not read model `{model}`: it is not in the list of models, has no state, and does not keep the server from being ready",
  },
  {
    says: "load failed for model '{model}': {cause:rest}",
    at: "load",
    where: "while model `{model}` was loaded",
  },
  {
    says: "failed to load '{model}' version {version:n}: {cause:rest}",
    at: "load",
    where: "while version {version} of model `{model}` was loaded",
  },
  { says: "failed to load '{model}', {cause:rest}", at: "load", where: "while model `{model}` was loaded" },
  {
    says: "version {version:n} is at UNAVAILABLE state: {cause:rest}",
    at: "load",
    where: "version {version} is not served",
  },
  { says: "| UNAVAILABLE: {cause:rest}", at: "load", where: "the version is not served" },
  ...["Invalid argument", "Internal", "Unavailable", "Not found", "Unsupported"].map((status) => ({
    says: `${status}: {cause:rest}`,
    at: "load" as const,
    where: "",
  })),
  {
    says: "unable to create TensorRT engine: {cause:rest}",
    at: "load",
    where: "while TensorRT read the plan",
    alone: {
      fixIn: "model-file",
      means: "TensorRT could not read the plan",
      help: "read the message; a plan only works with the TensorRT version and the kind of GPU that it was built with",
    },
  },
  {
    says: "ERROR: Failed to create instance: {cause:rest}",
    at: "load",
    where: "while an instance was created",
  },
  {
    says: "ensemble '{ensemble}' depends on '{model}' which has no loaded version. Model '{failed}' loading failed with error: {cause:rest}",
    at: "load",
    codes: ["ensemble/refused-model"],
    where: "ensemble `{ensemble}` is not served because its step `{model}` is not",
  },
  {
    says: "failed to run warmup sample '{sample}': {cause:rest}",
    at: "load",
    where: "in warmup sample `{sample}`",
    alone: {
      fixIn: "model",
      means: "the model returned an error for warmup sample `{sample}`",
      why: "A warmup sample that fails keeps its model from loading.",
      help: "send the same values as a request to the model without the warmup, and fix the reported error",
    },
  },
  {
    says: "in ensemble '{ensemble}', {cause:rest}",
    at: "ensemble",
    where: "in a step of ensemble `{ensemble}`",
  },
  {
    says: "[request id: {id}] {cause:rest}",
    where: (names) => (names["id"] === "<id_unknown>" ? "" : `request \`${names["id"]}\``),
  },
  {
    says: "Failed to process the request(s) for model '{model:instance}', message: {cause:rest}",
    raised: true,
    where: "in `execute` of `{model}`",
    alone: pythonRaised,
  },
  {
    says: "Failed to process the request(s) for model instance '{model:instance}', message: {cause:rest}",
    raised: true,
    where: "in `execute` of `{model}`",
    alone: pythonRaised,
  },
  {
    says: "Model {model} - Error when running inference: {cause:rest}",
    where: "in a call to model `{model}` from Python (BLS)",
  },
  {
    says: "{flow:name}: row {row:n}: CallError: {cause:rest} ({calledAt})",
    where: "in the call at {calledAt} in flow `{flow}`",
  },
  {
    says: "Failed to initialize Python stub: {cause:rest}",
    at: "load",
    raised: true,
    where: "while Python started",
    alone: {
      fixIn: "model-code",
      means: "the model's Python code raised an exception while it was loaded",
      help: "read the traceback: the lines after `At:` give the file, line and function, innermost first",
    },
  },
  {
    says: "Failed to preinitialize Python stub: {cause:rest}",
    at: "load",
    raised: true,
    where: "while Python started",
  },
  {
    says: "onnx runtime error {code:n}: {cause:rest}",
    where: "",
    alone: {
      fixIn: "model-file",
      means: "ONNX Runtime failed with error {code}",
      help: "run just the model on the same input, with `pipeline run` or in Python",
    },
  },
  {
    says: "failed to connect to all addresses; last error: {cause:rest}",
    where: "",
    alone: {
      fixIn: "client",
      means: "the gRPC client cannot reach a server",
      why: "The server has not been started, has exited, is still loading its models, or the port is wrong: 8001 is for gRPC, 8000 for HTTP.",
      help: "check the server's log and the port; give the address without `http://`",
    },
  },
  {
    says: "[StatusCode.UNIMPLEMENTED] {cause:rest}",
    where: "",
    alone: {
      fixIn: "client",
      means: "the server has no such method",
      help: "check the port (8001 is gRPC) and the server's version",
    },
  },
  {
    says: "[StatusCode.UNAVAILABLE] {cause:rest}",
    where: "",
    alone: {
      fixIn: "client",
      means: "the server is not reachable, or the model is not ready",
      help: "read the server's log",
    },
  },
];
