import type { ServerMessage } from "./server-message.ts";
import { ofRule } from "./rule-words.ts";

/** Messages about the inputs and outputs in a configuration. */
export const tensorMessages: readonly ServerMessage[] = [
  {
    ...ofRule("tensor/no-name"),
    means: "an {side} of `{model}` has no name",
  },
  {
    ...ofRule(["tensor/no-datatype", "onnx-model/completed-tensor-unusable"]),
    means: "{side} `{tensor}` of `{model}` has no data_type",
  },
  {
    ...ofRule("tensor/no-dims"),
    means: "{side} `{tensor}` of `{model}` has no dims",
  },
  {
    says: "model {side} '{tensor}' must specify 'dims'",
    codes: ["tensor/no-dims"],
    means: "{side} `{tensor}` has no dims",
  },
  {
    ...ofRule(["tensor/bad-dim", "onnx-model/completed-tensor-unusable"], "dims"),
    means: "{side} `{tensor}` of `{model}` has a dim that is neither positive nor -1",
  },
  {
    ...ofRule("tensor/bad-dim", "reshape"),
    means: "the reshape of {side} `{tensor}` of `{model}` has a dim that is neither positive nor -1",
  },
  {
    ...ofRule("tensor/empty-reshape"),
    means: "{side} `{tensor}` of `{model}` reshapes to no dims, but the model has no batching",
  },
  {
    ...ofRule("tensor/reshape-size", "size"),
    means: "{side} `{tensor}` of `{model}` has a different number of elements after its reshape",
  },
  {
    ...ofRule("tensor/reshape-size", "variable"),
    means: "{side} `{tensor}` of `{model}` has a different number of -1s after its reshape",
  },
  {
    ...ofRule("tensor/too-many-elements"),
    means: "tensor `{tensor}` has more elements than fit into 64 bits",
  },
  {
    ...ofRule("tensor/format-dims"),
    means: "an input of `{model}` has an image format but not 3 dims",
    help: "give it three dims without the batch, or remove `format`",
  },
  {
    ...ofRule("tensor/shape-tensor"),
    means: "a tensor of `{model}` is a shape tensor, which only the platform `tensorrt_plan` supports",
  },
  {
    ...ofRule("tensor/non-linear-format"),
    means: "a tensor of `{model}` has a non-linear format, which only the platform `tensorrt_plan` supports",
  },
  {
    ...ofRule("tensor/non-linear-format-dims"),
    means: "an {side} of `{model}` has a non-linear format but not 3 dims",
  },
  {
    says: "failed to open text file for read {path}: No such file or directory",
    codes: ["tensor/missing-labels", "warmup/missing-file", "sequence/initial-state-file"],
    means: "`{path}` does not exist. Usually it is an output's `label_filename`.",
    why: "Labels are in the model's folder, not in a version's; warmup data is in `warmup/`, initial states are in `initial_state/`.",
    help: "put the file there, or remove the field that names it",
  },
  {
    says: "failed to open text file for read {folder}/warmup/{file}: No such file or directory",
    codes: ["warmup/missing-file"],
    means: "a warmup sample needs `warmup/{file}`, which is not in `{folder}`",
    help: "put the file there, or use `zero_data`",
  },
  {
    says: "failed to open text file for read {folder}/initial_state/{file}: No such file or directory",
    codes: ["sequence/initial-state-file"],
    means: "a state needs `initial_state/{file}`, which is not in `{folder}`",
    help: "put the file there, or use `zero_data`",
  },
  {
    ...ofRule("tensor/labels-twice"),
    means: "two outputs with the name `{tensor}` have labels",
    help: "give every output a different name",
  },
  {
    ...ofRule("tensor/labels-outside"),
    means: "labels `{file}` of output `{tensor}` are outside the folder of `{model}`",
  },
];
