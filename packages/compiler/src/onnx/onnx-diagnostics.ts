import { type Diagnose, defineDiagnostics } from "@tritype/core";

/** Advice for a tensor without dims in an ONNX file, and in its declaration. */
export const scalarInFile = (side: "input" | "output", batched: boolean): string =>
  `export the model with shape ${batched ? "[batch, 1]" : "[1]"} for it${side === "input" ? ", or with its value as a constant" : ""}`;
export const scalarDeclared = (...where: Parameters<typeof scalarInFile>): string =>
  `declare what the file has; if it has a scalar, ${scalarInFile(...where)}`;

export const onnxDiagnostics = {
  "onnx/file-not-found": {
    message: "`{step}`: `{file}` does not exist",
    help: "paths are relative to the project's root, which is the folder with pipeline.config.ts",
  },
  "onnx/no-file": {
    message: "`{step}` has no `file`",
    help: "set `file` to its ONNX file, as a path from the project's root",
  },
  "onnx/not-readable": {
    message: "`{step}`: `{file}` cannot be read: {problem}",
    help: "export the model again; a Git LFS pointer or an HTML page saved in its place gives the same error",
  },
  "onnx/external-data-not-found": {
    message: "`{step}`: its weights are in `{file}`, which does not exist",
    help: "put the external data file next to the model",
  },
  "onnx/external-data-outside": {
    message: "`{step}`: `{file}` has its weights in `{location}`, outside its own folder",
    help: 'put the weights next to the file and make it refer to them there, as `onnx.save_model(onnx.load(path), path, save_as_external_data=True, location="weights.bin")` does',
  },
  "onnx/missing-input": {
    message: "`{step}` does not declare `{input}` {type}, which its file needs",
    help: "declare `{input}`",
  },
  "onnx/unknown-input": {
    message: "`{step}` declares the input `{input}`; its file has {inputs}",
  },
  "onnx/unknown-output": {
    message: "`{step}` declares the output `{output}`; its file has {outputs}",
  },
  "onnx/wrong-dtype": {
    message: "`{step}` declares `{tensor}` as {declared}, but its file has {file}",
    help: "declare what the file has; `pipeline types` writes the declaration for you",
  },
  "onnx/wrong-rank": {
    message: "`{step}` declares `{tensor}` as {declared}, but its file has {file}",
    help: "declare what the file has; `pipeline types` writes the declaration for you",
  },
  "onnx/wrong-dim": {
    message: "`{step}` declares `{tensor}` as {declared}, but its file has {file}",
    help: "declare what the file has; `pipeline types` writes the declaration for you",
  },
  "onnx/fixed-batch": {
    message: "`{step}` is declared as batched, but its file fixes the first dim: `{tensor}` is {file}",
    help: 'export the model with a dynamic first axis, or declare its size instead of "batch" and leave `maxBatchSize` out of the ensembles that call the step',
  },
  "onnx/unsupported-dtype": {
    message: "`{tensor}` of `{step}` {what}, which Triton does not support",
  },
  "onnx/versions-differ": {
    message: "`{tensor}` of `{step}` is {firstType} in version {first}, but {secondType} in version {second}",
    help: "Triton has one configuration for all versions: export both with the same fixed sizes, or define two steps",
  },
  "onnx/opset-too-new": {
    message: "`{step}` needs ONNX opset {opset}; Triton {target} reads up to {most}",
    help: "export the model with opset {most} or lower, or set a newer `target`",
  },
} as const;

export const diagnoseOnnx: Diagnose<typeof onnxDiagnostics> = defineDiagnostics(onnxDiagnostics);
