import { type Diagnose, defineDiagnostics } from "@tritype/core";

/** Diagnostics of the step kinds of individual backends; `{backend}` is the name that people use. */
export const backendDiagnostics = {
  "step-file/none": {
    message: "`{step}` has {what}",
    help: "set {wanted}, as a path from the project's root",
  },
  "step-file/not-found": {
    message: "`{step}`: `{file}` does not exist",
    help: "paths are relative to the project's root, which is the folder with pipeline.config.ts",
  },
  "step-file/not-readable": {
    message: "`{step}`: `{file}` is not {wanted}: {problem}",
  },
  "step-file/clash": {
    message: "`{step}`: `{name}` under `files` cannot be in the version folder: {why}",
    help: "the keys of `files` are names in the version folder, such as `labels.json` or `data/labels.json`",
  },
  "step-tensor/dtype": {
    message: "`{tensor}` of `{step}` is {type}; {backend} in Triton {target} does not support {dtype}",
    help: "it supports {dtypes}",
  },
  "step-tensor/text-rank": {
    message:
      "`{tensor}` of `{step}` is {type}; the PyTorch backend only accepts text as a one-dimensional list",
    help: 'declare bytes("batch", 1), or process texts in a step before it',
  },
  "step-tensor/optional": {
    message: "`{input}` of `{step}` is optional, which {backend} does not support",
    help: "make it required: declare it without optional()",
  },
  "step-tensor/name": {
    severity: "warning",
    message: "`{tensor}` is an {side} of `{step}`, but {backend} only {does} {names}",
    help: "name it {wanted}; an ensemble's own inputs and outputs can have any names",
  },
  "stand-in/none": {
    message: "the profile `{profile}` uses the stand-in of `{step}`, which has none",
    help: 'name an ONNX file: `standIn: "models/{step}.onnx"`, for each version if the step lists versions',
  },
  "torchscript/inputs": {
    message: "`{step}` declares {declared}; `forward` in `{file}` takes {inputs}",
  },
  "torchscript/outputs": {
    message: "`{step}` declares {declared}; `forward` in `{file}` returns {returned}",
  },
  "torchscript/argument-type": {
    message:
      "`forward` in `{file}` of `{step}` takes `{argument}: {type}`, which the PyTorch backend cannot pass",
    help: "export a module whose `forward` only takes tensors: wrap the model in a module that calls it",
  },
  "torchscript/fixed-size": {
    severity: "warning",
    message:
      "`{file}` of `{step}` was traced to the constant sizes {sizes}: batches of other sizes fail (`{line}` in {where})",
    help: "keep sizes as tensors while tracing: `x.shape[0]` without `int()`, `-1` in `view` and `reshape`; or script the module",
  },
  "tensorrt/sizes": {
    message: "`{step}`: {problem}",
  },
  "tensorrt/precision": {
    message: "`{step}` is built with the precision {precision}, which Triton {target} does not support",
    help: "it supports {precisions}",
  },
  "custom/backend": {
    message: "`{step}` has the backend {backend}, {problem}",
  },
} as const;

export const diagnoseBackend: Diagnose<typeof backendDiagnostics> = defineDiagnostics(backendDiagnostics);
