import type { ServerMessage } from "./server-message.ts";

/** Inputs and outputs of a configuration. */
export const tensorMessages: readonly ServerMessage[] = [
  {
    says: "model {side} must specify 'name' for {model}",
    codes: ["tensor/no-name"],
    mend: "model",
    means: "an {side} of `{model}` has no name",
  },
  {
    says: "model {side} '{tensor}' must specify 'data_type' for {model}",
    codes: ["tensor/no-datatype", "onnx-model/completed-tensor-unusable"],
    mend: "model",
    means: "{side} `{tensor}` of `{model}` has no data_type",
  },
  {
    says: "model {side} '{tensor}' must specify 'dims' for {model}",
    codes: ["tensor/no-dims"],
    mend: "model",
    means: "{side} `{tensor}` of `{model}` has no dims",
  },
  {
    says: "model {side} '{tensor}' must specify 'dims'",
    codes: ["tensor/no-dims"],
    mend: "model",
    means: "{side} `{tensor}` has no dims",
  },
  {
    says: "model {side} '{tensor}' dimension must be integer >= 1, or -1 to indicate a variable-size dimension for {model}",
    codes: ["tensor/bad-dim", "onnx-model/completed-tensor-unusable"],
    mend: "model",
    means: "{side} `{tensor}` of `{model}` has a dim that is neither 1 or more nor -1",
  },
  {
    says: "model {side} '{tensor}' reshape dimensions must be integer >= 1, or -1 to indicate a variable-size dimension for {model}",
    codes: ["tensor/bad-dim"],
    mend: "model",
    means: "the reshape of {side} `{tensor}` of `{model}` has a dim that is neither 1 or more nor -1",
  },
  {
    says: "model {side} '{tensor}' cannot have empty reshape for non-batching model as scalar tensors are not supported for {model}",
    codes: ["tensor/empty-reshape"],
    mend: "model",
    means: "{side} `{tensor}` of `{model}` reshapes to no dims, but the model has no batching",
  },
  {
    says: "model {side} '{tensor}' has different size for dims and reshape for {model}",
    codes: ["tensor/reshape-size"],
    mend: "model",
    means: "{side} `{tensor}` of `{model}` has another number of elements after its reshape",
  },
  {
    says: "model {side} '{tensor}' has different number of variable-size dimensions for dims and reshape for {model}",
    codes: ["tensor/reshape-size"],
    mend: "model",
    means: "{side} `{tensor}` of `{model}` has another number of -1s after its reshape",
  },
  {
    says: "element count for tensor '{tensor} dims' exceeds maximum size",
    codes: ["tensor/too-many-elements"],
    mend: "model",
    means: "tensor `{tensor}` has more elements than fit into 64 bits",
  },
  {
    says: "model input NHWC/NCHW require 3 dims for {model}",
    codes: ["tensor/format-dims"],
    mend: "model",
    means: "an input of `{model}` has an image format but not 3 dims",
    help: "give it three dims without the batch, or remove `format`",
  },
  {
    says: "shape tensors are only supported for TensorRT platform for {model}",
    codes: ["tensor/shape-tensor"],
    mend: "model",
    means: "a tensor of `{model}` is a shape tensor, which only platform `tensorrt_plan` has",
  },
  {
    says: "Non-linear IO format is only supported for the TensorRT platform for {model}",
    codes: ["tensor/non-linear-format"],
    mend: "model",
    means: "a tensor of `{model}` has a non-linear format, which only platform `tensorrt_plan` has",
  },
  {
    says: "Non-linear IO format {side} requires 3 dims for {model}",
    codes: ["tensor/non-linear-format-dims"],
    mend: "model",
    means: "an {side} of `{model}` has a non-linear format but not 3 dims",
  },
  {
    says: "failed to open text file for read {path}: No such file or directory",
    codes: ["tensor/missing-labels", "warmup/missing-file", "sequence/initial-state-file"],
    mend: "model",
    means: "`{path}` does not exist. Usually it is an output's `label_filename`.",
    why: "Labels are in the model's folder, not in a version's; warmup data is in `warmup/`, initial states are in `initial_state/`.",
    help: "put the file there, or remove the field that names it",
  },
  {
    says: "failed to open text file for read {folder}/warmup/{file}: No such file or directory",
    codes: ["warmup/missing-file"],
    mend: "model",
    means: "a warmup sample needs `warmup/{file}`, which is not in `{folder}`",
    help: "put the file there, or use `zero_data`",
  },
  {
    says: "failed to open text file for read {folder}/initial_state/{file}: No such file or directory",
    codes: ["sequence/initial-state-file"],
    mend: "model",
    means: "a state needs `initial_state/{file}`, which is not in `{folder}`",
    help: "put the file there, or use `zero_data`",
  },
  {
    says: "label file path '{path}' for output '{tensor}' in model '{model}' is outside model directory",
    codes: ["tensor/labels-outside"],
    mend: "model",
    means: "labels `{path}` of output `{tensor}` are outside of the folder of `{model}`",
  },
];
