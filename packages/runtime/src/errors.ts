import { defineErrors, type MakeError } from "@tritype/core";

/** The local runtime's errors in our own words; errors in Triton's words are thrown with `foreignError`. */
export const runtimeErrors = {
  "device/cuda-unusable": {
    code: "device/unavailable",
    message: "CUDA cannot be used: {why}",
  },
  "device/no-cuda-libraries": {
    code: "device/unavailable",
    message: "the local runtime only supports CUDA on Linux x86-64, and this is {system}",
    help: "run models on the CPU (--device cpu), or serve the repository with a Triton on a machine with a GPU",
  },
  "device/other-onnxruntime": {
    code: "device/unavailable",
    message: "the CUDA libraries are for onnxruntime-node {wanted}, but {installed} is installed",
    help: "install onnxruntime-node {wanted}, which @tritype/runtime requires",
  },
  "manifest/broken": {
    code: "repository/invalid",
    message: "{path} is broken: {field}: {why}",
    help: "build the repository again",
  },
  "manifest/newer": {
    code: "repository/invalid",
    message: "{path} has format version {found}, but this tritype reads up to {newest}",
    help: "update tritype, or build the repository again with this one",
  },
  "manifest/output-type": {
    code: "repository/invalid",
    message: "output {output} of {model} is {type}, which its native twin cannot return",
    help: "build the repository again",
  },
  "manifest/twin-options": {
    code: "repository/invalid",
    message: "the manifest's options of {model} cannot be read",
    help: "build the repository again",
  },
  "model/answered-twice": {
    code: "model/failed",
    message: "model '{model}' is not decoupled, but an error followed its response: {why}",
    help: "send exactly one response to each request, with the flag TRITONSERVER_RESPONSE_COMPLETE_FINAL, or make the model decoupled",
  },
  "model/function-not-loaded": {
    code: "model/failed",
    message: "{step} cannot be loaded: {why}",
    help: "fix the function or the module that fails, and build again",
  },
  "model/loading": {
    code: "model/unavailable",
    message: "model '{model}' is being loaded",
    help: "wait until it is loaded: a model cannot load or unload itself while it is loading",
  },
  "model/no-instance": {
    code: "model/unavailable",
    message: "model '{model}' has no instance for requests",
    help: "remove `passive` from a group of its instances",
  },
  "model/no-response": {
    code: "model/failed",
    message: "model '{model}' returned no response",
    help: "read the model's own log lines before this message",
  },
  "model/not-polled": {
    code: "model/unavailable",
    message: "models are loaded explicitly, not when the repository changes",
    help: "send load and unload requests, or serve with --model-control-mode poll",
  },
  "model/twin-not-loaded": {
    code: "model/failed",
    message: "{step} cannot be loaded: {why}",
    help: "run the emitted Python with `--python`, or build the repository again",
  },
  "model/unchanged": {
    code: "model/unavailable",
    message:
      "model '{model}' is not updated: it can only be updated together with {roots}, which cannot be loaded",
    help: "fix the named models; all of them are then updated together",
  },
  "python/bad-auto-complete": {
    code: "model/failed",
    message: "auto_complete_config of model '{model}' returns an invalid configuration: {why}",
    help: "set only fields that exist in Triton's model_config.proto",
  },
  "python/broken-answer": {
    code: "model/failed",
    message: "The Python process {problem}",
    help: "look for code in the model, or in a library, that writes to file descriptors that it did not open",
  },
  "python/execution-environment": {
    code: "repository/invalid",
    message: "model '{model}' names EXECUTION_ENV_PATH '{path}', which {problem}",
    help: "name a virtual environment, or an unpacked conda environment",
  },
  "python/no-numpy": {
    code: "tool/missing",
    message: "Python models need numpy, which {executable} cannot import: {why}",
    help: "run: {executable} -m pip install numpy (or set TRITYPE_PYTHON to an interpreter that has it)",
  },
  "python/not-found": {
    code: "tool/missing",
    message: "No Python 3.8 or newer was found (tried: {tried})",
    help: "install Python 3 with numpy, or set TRITYPE_PYTHON to the interpreter that has it; models with a native twin do not need Python",
  },
  "python/waits-for-itself": {
    code: "model/failed",
    message:
      "every instance of model '{model}' is waiting for this request, which needs one of them (Triton would wait forever); raise the count of its instance_group",
    help: "call another model, or raise the count of its instance_group",
  },
  "repository/no-such-config": {
    code: "repository/invalid",
    message: "no model of {folder} has the configuration '{config}'",
  },
  "repository/not-a-repository": {
    code: "repository/invalid",
    message: "{folder} {why}: it is not a model repository",
  },
  "repository/not-found": {
    code: "file/not-found",
    message: "the model repository {folder} does not exist",
    help: "build one with `pipeline build`, or name the folder that contains your models' folders",
  },
  "repository/unsupported-backend": {
    code: "repository/invalid",
    message:
      "model '{model}' needs the backend '{backend}', which the local runtime does not have (it has {known} and ensembles)",
  },
  "request/byte-string": {
    code: "request/unsupported",
    message:
      "{prefix}element {index} of input '{input}' for model '{model}' is not valid UTF-8, as strings in ONNX Runtime for Node.js must be",
    help: "send such bytes as UINT8, or let a python model read them",
  },
  "request/decoupled": {
    code: "request/unsupported",
    message:
      "model '{model}' is decoupled: it may send any number of responses, but this call accepts only one",
    help: "read its responses as they arrive: ModelStreamInfer over gRPC, generate_stream over HTTP, exec(decoupled=True) in a model",
  },
  "request/outputs-of-stream": {
    code: "request/unsupported",
    message:
      "ensemble '{model}' has a decoupled step, its outputs come from several steps, and this request does not request all of them: Triton 24.10 then sends no response, only the end of the stream",
    help: "request every output of the ensemble, or omit `outputs` to get all of them",
  },
  "tokenizer/texts-too-long": {
    code: "request/too-large",
    message:
      "{name} has {size} bytes, and tokenizing them would take a hundred times as much memory; the maximum is {limit}",
    help: "send fewer or shorter texts in one request",
  },
  "tokenizer/transformers-js": {
    code: "tool/missing",
    message: "transformers.js {problem}",
    help: "run the emitted Python with `--python`",
  },
  "tokenizer/unusable-file": {
    code: "repository/invalid",
    message: "{file} cannot be used: {why}",
    help: "build the repository again",
  },
} as const;

export const runtimeError: MakeError<typeof runtimeErrors> = defineErrors(runtimeErrors);
