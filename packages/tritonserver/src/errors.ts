import { defineErrors, type MakeError } from "@tritype/core";

/** Triton cannot be installed or does not start. */
export const tritonserverErrors = {
  "drift/no-onnx-variant": {
    code: "model/failed",
    message: "onnxruntime cannot create the {kind} variant of {file}:\n{output}",
    help: "export the model in that form, and compare the two files",
  },
  "install/environment": {
    code: "tool/missing",
    message: "{what} failed:\n{output}",
  },
  "install/no-python-for-onnx": {
    code: "tool/missing",
    message: "onnxruntime's tools need Python {versions} with venv; {seen}",
    help: "apt-get install python3.11 python3.11-venv (or the same packages for another of these versions)",
  },
  "triton/ended-early": {
    code: "server/unreachable",
    message: "Triton exited ({how}) before it was listening{log}",
    help: "run `pipeline explain` with one of the lines above",
  },
  "triton/missing": {
    code: "tool/missing",
    message: "No Triton server can run here: {reason}",
    help: "There are three ways to get a Triton:\n  PyPI's wheel (Linux x86-64): {help}\n  Docker: start it; {image} is then used\n  a running server: --triton-url http://host:8000",
  },
  "triton/models-failed": {
    code: "model/unavailable",
    message: "Triton could not load every model{log}",
    help: "run `pipeline check` on the repository, or `pipeline explain` with a line above",
  },
  "triton/not-ready": {
    code: "model/unavailable",
    message: "Triton {what}{log}",
  },
  "triton/port-in-use": {
    code: "port/in-use",
    message: "Triton exited ({how}) before it was listening{log}",
    help: "stop the program that uses the port, or choose other ports",
  },
  "triton/silent": {
    code: "server/unreachable",
    message: "Triton was not listening after {time} ms{log}",
    help: "read the last lines of its log; a large model may need more time",
  },
} as const;

export const tritonserverError: MakeError<typeof tritonserverErrors> = defineErrors(tritonserverErrors);
