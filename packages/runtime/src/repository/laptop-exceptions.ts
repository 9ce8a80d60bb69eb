/**
 * Errors of Triton that the local runtime ignores: code of the rule → reason. Rules about the server's GPUs, backends,
 * repository agents and libraries are not listed: these are unknown here, so the rules never report anything. A laptop
 * runs a model for a GPU on its CPU.
 */
export const laptopExceptions: ReadonlyMap<string, string> = new Map([
  ["backend/misnamed", "it has its own backends, and lists them"],
  [
    "config/field-too-new",
    "the release that will serve the repository is not known here; use `pipeline check --target`",
  ],
  ["backend/python-runtime", "`runtime` names a library on the server"],
  ["backend/runtime-escapes", "`runtime` names a library on the server"],
  ...[
    "onnx-model/broken-file",
    "onnx-model/complex-elements",
    "onnx-model/external-data-outside",
    "onnx-model/ir-version-too-new",
    "onnx-model/missing-external-data",
    "onnx-model/missing-file",
    "onnx-model/no-float4-cast",
    "onnx-model/opset-too-new",
    "onnx-model/unknown-operator",
  ].map((code) => [code, "its own ONNX Runtime opens the file, and reports what it cannot load"] as const),
  ...[
    "sequence/initial-state-file",
    "tensor/labels-folder",
    "tensor/labels-twice",
    "tensor/missing-labels",
  ].map((code) => [code, "it reads the file itself, and reports what it cannot read"] as const),
  ["model-file/missing-python", "its own Python opens the file, and reports that it is missing"],
]);
