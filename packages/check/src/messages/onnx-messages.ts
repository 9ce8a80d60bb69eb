import type { ServerMessage } from "./server-message.ts";
import { ofRule } from "./rule-words.ts";

/** `my.ops:Foo(-1)` → `` `Foo` of the domain `my.ops` ``. */
const readOperator = (text: string): string => {
  const [, domain = "", name = text] = /^(?:(.*):)?([^:(]+)(?:\(-?\d+\))?$/.exec(text) ?? [];
  return `\`${name}\`${domain === "" ? "" : ` of the domain \`${domain}\``}`;
};

/** Messages from the ONNX Runtime backend, while it loads a model and while it runs one. */
export const onnxMessages: readonly ServerMessage[] = [
  {
    ...ofRule(["onnx-model/completion-without-batching", "onnx-model/no-batch-dimension"]),
    fixIn: "model-file",
    means: "`{model}` has a max_batch_size, but not every tensor of its graph begins with an open dim",
  },
  {
    ...ofRule("onnx-model/input-count"),
    means: "the configuration of `{model}` accounts for {expected} inputs, but the graph has {actual}",
  },
  {
    ...ofRule(["onnx-model/wrong-data-type", "onnx-model/numeric-data-type"]),
    means: "{side} `{tensor}` of `{model}` is {expected} in the configuration, but {found} in the graph",
    help: (names) =>
      names["found"] === "TYPE_<invalid>"
        ? "Triton does not support the graph's type: export the model with a different type"
        : `write \`data_type: ${names["found"]}\``,
  },
  {
    says: "unsupported datatype {type} for {side} '{tensor}' for model '{model}'",
    codes: ["onnx-model/bf16", "onnx-model/wrong-data-type", "backend/pytorch-data-type"],
    means: "{side} `{tensor}` of `{model}` is {type}, which its backend does not support",
    help: "cast to FP32 or FP16 inside the model",
  },
  {
    says: "unable to load model '{model}', configuration expects model provides {side} with shape [-1] for ragged {side2} '{tensor}', model provides {found:shape}",
    codes: ["onnx-model/ragged-shape"],
    fixIn: "model-file",
    means: "ragged input `{tensor}` of `{model}` must have shape [-1] in the graph, but is {found}",
  },
  {
    says: "configuration expects model provides input with shape [-1] for ragged input '{tensor}'",
    codes: ["onnx-model/ragged-shape", "onnx-model/ragged-optional"],
    fixIn: "model-file",
    means: "ragged input `{tensor}` must have shape [-1] in the graph",
  },
  {
    says: "optional input '{tensor}' is not supported for models that support batching",
    codes: ["onnx-model/optional-with-batching"],
    means: "input `{tensor}` is optional, which needs max_batch_size 0",
  },
  {
    says: "unexpected inference {side} '{tensor}', allowed {sides} are: {names:line}",
    codes: ["onnx-model/unknown-tensor"],
    means: "the graph has no {side} `{tensor}`; it has {names}",
    help: "use the graph's names in config.pbtxt and in the ensemble",
  },
  {
    says: "model '{model}', tensor '{tensor}': the model expects {rank:n} dimensions (shape {shape:shape}) but the model configuration specifies {configured:n} dimensions ({found:line})",
    codes: ["onnx-model/wrong-shape", "onnx-model/scalar-shape"],
    means: ({ model, tensor, shape, found = "" }) =>
      `\`${tensor}\` of \`${model}\` is ${shape} in the graph, but ${/\[[^\]]*\]/.exec(found)?.[0] ?? "another"} in the configuration${found.includes("max_batch_size") ? " with its batch dim in front" : ""}`,
    help: ({ rank, configured, found = "" }) =>
      found.includes("max_batch_size") && Number(configured) === Number(rank) + 1
        ? "remove the batch from `dims`: with max_batch_size above 0, Triton adds it itself"
        : "write the sizes that the graph has",
  },
  {
    ...ofRule("onnx-model/no-batch-dimension"),
    fixIn: "model-file",
    means: "`{model}` has a max_batch_size, but `{tensor}` is {shape} in the graph: its first dim is fixed",
  },
  {
    says: "scalar tensor '{tensor}', should only provide 1 in the model configuration",
    codes: ["onnx-model/scalar-shape"],
    means: "`{tensor}` has no dims in the graph, but dims other than 1 in the configuration",
    help: "write `dims: [ 1 ]`",
  },
  {
    ...ofRule("accelerator/unknown"),
    means: "the ONNX Runtime backend has no accelerator `{name}`",
    help: "use `tensorrt` or `cuda` for GPUs; check the spelling",
  },
  {
    says: "unknown parameter '{parameter}' is provided for TensorRT Execution Accelerator",
    codes: ["accelerator/tensorrt-unknown-parameter"],
    means: "the tensorrt accelerator has no parameter `{parameter}`",
    help: "check the spelling; `pipeline check` suggests the nearest name",
  },
  {
    says: "unsupported precision mode '{value}' is requested",
    codes: ["accelerator/parameter-value"],
    means: "precision_mode is `{value}`",
    help: "write FP32, FP16 or INT8",
  },
  {
    ...ofRule(["backend/onnx-parameter", "accelerator/parameter-value"]),
    means: "a parameter of the model is `{value}`, which is not a {kind}",
    help: 'write the value as `string_value`, such as "1" or "true"',
  },
  {
    ...ofRule("backend/onnx-execution-mode"),
    means: "parameter `execution_mode` is {value}; 0 is sequential, 1 parallel",
    help: "write 0 or 1",
  },
  {
    says: "unsupported cudnn_conv_algo_search value",
    codes: ["backend/onnx-gpu-parameter"],
    means: "parameter `cudnn_conv_algo_search` is not 0, 1 or 2",
    help: "write 0, 1 or 2",
  },
  {
    says: "unsupported arena_extend_strategy value",
    codes: ["backend/onnx-gpu-parameter"],
    means: "parameter `arena_extend_strategy` is neither 0 nor 1",
    help: "write 0 or 1",
  },
  {
    says: "sequence control '{tensor}' in model has dims {found:shape} but dims {wanted:shape} is expected",
    codes: ["onnx-model/control-mismatch"],
    fixIn: "model-file",
    means: "sequence control `{tensor}` is {found} in the graph; it must be {wanted} after the batch",
  },
  {
    says: "sequence control '{tensor}', the model expects data-type {found} but the model configuration specifies data-type {wanted}",
    codes: ["onnx-model/control-mismatch"],
    means: "sequence control `{tensor}` is {found} in the graph, but {wanted} in the configuration",
  },
  {
    ...ofRule("onnx-model/unknown-control"),
    means: "the graph has no input `{tensor}`, which is a sequence control of the configuration",
  },
  {
    ...ofRule("onnx-model/numeric-data-type"),
    means: "a field of the configuration is a number where a name is required",
    help: "write the data_type by name, such as TYPE_FP32",
  },
  {
    says: "unable to find '{path}' for model instance '{model:instance}'",
    codes: ["onnx-model/missing-file", "model-file/other-name"],
    fixIn: "model-file",
    means: "`{path}` does not exist",
  },
  {
    says: "failed to stat file {path}",
    codes: ["onnx-model/missing-file"],
    fixIn: "model-file",
    means: "`{path}` does not exist",
  },
  {
    says: "Load model from {path} failed:Protobuf parsing failed",
    codes: ["onnx-model/broken-file"],
    fixIn: "model-file",
    means: "`{path}` is not an ONNX model",
    help: "export it again; a Git LFS pointer, an incomplete download or an HTML page saved in its place gives the same error",
  },
  {
    says: "ModelProto does not have a graph",
    codes: ["onnx-model/broken-file"],
    fixIn: "model-file",
    means: "the ONNX file is empty",
    help: "export it again",
  },
  {
    says: "Unsupported model IR version: {version:n}, max supported IR version: {limit:n}",
    codes: ["onnx-model/ir-version-too-new"],
    fixIn: "model-file",
    means: "the model has IR version {version}, but the server's ONNX Runtime reads up to {limit}",
    help: "set `model.ir_version = {limit}` when you export, or use a newer Triton",
  },
  {
    says: "ONNX Runtime only *guarantees* support for models stamped with official released onnx opset versions",
    codes: ["onnx-model/opset-too-new"],
    fixIn: "model-file",
    means: "the model's opset is newer than the server's ONNX Runtime",
    help: "export with a lower opset, or use a newer Triton; `pipeline check --target <release>` shows what each release can read",
  },
  {
    says: "Fatal error: {operator} is not a registered function/op",
    codes: ["onnx-model/unknown-operator"],
    fixIn: "model-file",
    means: ({ operator = "" }) => `ONNX Runtime does not have the operator ${readOperator(operator)}`,
    why: "It belongs to a domain of custom operators, or to a newer ONNX Runtime.",
    help: "name the library that defines it in `op_library_filename` of `model_operations`, or export the model without it",
  },
  {
    says: "No Op registered for {operator} with domain_version of {version:n}",
    codes: ["onnx-model/unknown-operator"],
    fixIn: "model-file",
    means: "ONNX Runtime does not have the operator `{operator}` in opset {version}",
    why: "The name is misspelt, or the operator belongs to another domain or a newer opset.",
    help: "export the model with a newer opset, or correct the node's name and domain; `pipeline check` says which opset has it",
  },
  {
    says: "Op registered for {operator} is deprecated in domain_version of {version:n}",
    codes: ["onnx-model/unknown-operator"],
    fixIn: "model-file",
    means: "opset {version} does not have the operator `{operator}` any more",
    help: "export the model again with the operators of its opset, or with the last opset that has it: `pipeline check` says which",
  },
  {
    says: "MLDataType for: {type} is not currently registered or supported",
    codes: ["onnx-model/complex-elements"],
    fixIn: "model-file",
    means: "the graph has a tensor of {type}, which ONNX Runtime does not have",
    help: "split complex numbers into real and imaginary parts inside the model",
  },
  {
    says: "Could not find an implementation for {operator} node with name '{node}'",
    codes: ["onnx-model/no-kernel", "onnx-model/no-float4-cast"],
    fixIn: "model-file",
    means: "ONNX Runtime cannot run operator {operator} of the graph for these types",
    why: "The operator is from a newer opset or a different domain, or has no kernel for the type.",
    help: "export the model with a different type or a lower opset",
  },
  {
    says: [
      "External data path validation failed for initializer: {tensor}. Error: {why:line}",
      "External data path validation failed",
    ],
    codes: ["onnx-model/external-data-outside"],
    fixIn: "model-file",
    means:
      "the model's weights are outside the folder of its .onnx file, which ONNX Runtime refuses as of 1.24.1",
  },
  {
    says: "External data path does not exist: {path}",
    codes: ["onnx-model/missing-external-data"],
    fixIn: "model-file",
    means: "the model's weights are in `{path}`, which does not exist",
    help: "put the external data file next to the model, under the name that the model uses",
  },
  {
    says: "GetFileLength for {path} failed",
    codes: ["onnx-model/missing-external-data"],
    fixIn: "model-file",
    means: "the model's weights are in `{path}`, which cannot be read",
    help: "put the external data file next to the model, under the name that the model uses",
  },
  {
    says: "Failed to load library {library} with error: {error:line}",
    codes: ["backend/op-library-not-found"],
    fixIn: "machine",
    means: "the library `{library}` cannot be loaded: {error}",
    help: "write the library's absolute path on the server's machine; for ONNX Runtime's own providers, install the CUDA and cuDNN versions that it was built for",
  },
  {
    says: "Node ({node}) Op ({operator}) [ShapeInferenceError] {what:line}",
    fixIn: "model-file",
    means: "node `{node}` ({operator}) of the graph cannot have these shapes: {what}",
    help: "export the model again with the intended shapes",
  },
  {
    says: "This is an invalid model. {what:line}",
    fixIn: "model-file",
    means: "ONNX Runtime refuses the graph: {what}",
    help: "run `onnx.checker.check_model` on the file, and export it again",
  },

  {
    says: "Got invalid dimensions for input: {tensor} for the following indices {list:rest}",
    means: ({ tensor = "", list = "" }) => {
      const sizes = [...list.matchAll(/index: (\d+) Got: (\d+) Expected: (\d+)/g)].map(
        ([, axis, got, wanted]) => `dim ${axis} is ${got}, not ${wanted}`,
      );
      return `input \`${tensor}\` does not fit the ONNX graph${sizes.length === 0 ? "" : `: ${sizes.join(", ")}`}`;
    },
    why: "The graph fixes a size that the configuration leaves open with -1, so Triton accepts the request but ONNX Runtime refuses it.",
    help: "write the graph's size in `dims`, or export the model with a dynamic axis there; if it is dim 0, the graph was exported with a fixed batch size",
    codes: ["onnx-model/no-batch-dimension", "onnx-model/wrong-shape"],
  },
  {
    says: "Invalid rank for input: {tensor} Got: {got:n} Expected: {wanted:n}",
    codes: ["onnx-model/wrong-shape"],
    means: "input `{tensor}` has {got} dims, but the ONNX graph needs {wanted}",
    help: "make `dims` and max_batch_size, taken together, match the graph",
  },
  {
    says: "Unexpected input data type. Actual: ({got}) , expected: ({wanted})",
    codes: ["onnx-model/wrong-data-type"],
    means: "the ONNX graph needs {wanted}, but got {got}",
    help: "declare the graph's type in config.pbtxt, and cast where the tensor is created",
  },
  {
    says: ["Invalid Feed Input Name:{tensor}", "Invalid input name: {tensor}"],
    codes: ["onnx-model/unknown-tensor"],
    means: "the ONNX graph has no input `{tensor}`",
    help: "use the graph's names",
  },
  {
    says: ["Missing Input: {tensor}", "Required inputs (['{tensor}']) are missing"],
    codes: ["onnx-model/input-count"],
    means: "the ONNX graph needs input `{tensor}`, which is missing from the request",
    help: "declare it in config.pbtxt and send it",
  },
  {
    says: "indices element out of data bounds, idx={index:n} must be within the inclusive range [{from:n},{to:n}]",
    codes: ["model-file/vocabulary", "model-file/pad-id", "model-file/max-length"],
    fixIn: "model-file",
    means: "the model looked up row {index} of a table with rows {from} to {to}",
    why: "In a language model, this is a token id outside its vocabulary, or a position beyond its maximum text length.",
    help: "use the tokenizer that the model was trained with, and truncate texts to its maximum length",
  },
  {
    says: "Non-zero status code returned while running {operator} node. Name:'{node}' Status Message: {what:rest}",
    fixIn: "model-file",
    means: "node `{node}` ({operator}) of the ONNX graph failed",
    why: "The graph cannot process the shapes or values of this request, though they fit the configuration.",
    help: ({ what = "" }) => `see the message: ${(what.split("\n")[0] ?? "").replace(/^.*\bbool\) /, "")}`,
  },
  {
    says: "The input tensor cannot be reshaped to the requested shape. Input shape:{from:braces}, requested shape:{to:braces}",
    fixIn: "model-file",
    means: "a Reshape inside the ONNX graph got {from} but needs {to}",
    why: "Internally, the graph fixes sizes that the configuration leaves open, often the batch size or length used for the export.",
    help: "export the model with dynamic axes, or write the graph's sizes in `dims`",
  },
  {
    says: "Failed to allocate memory for requested buffer of size {size:n}",
    fixIn: "machine",
    means: "ONNX Runtime could not allocate {size} bytes for a tensor",
    why: "The device is out of memory because of this model's instances, other models, or the size of this batch.",
    help: "lower max_batch_size or the number of instances, or limit ONNX Runtime's arena with the parameter `gpu_mem_limit`",
  },
];
