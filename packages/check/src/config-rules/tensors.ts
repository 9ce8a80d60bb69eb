import { modelRule, type Rule } from "../rule.ts";
import { fillsTensors } from "./fills-tensors.ts";
import { portsOf } from "./model-port.ts";

const noName = modelRule(
  {
    code: "tensor/no-name",
    disputesTensors: true,
    triton: ["37"],
    atLoad: "completed",
    reason: "Requests and backends identify tensors by name.",
    words: "model {side} must specify 'name' for {model}",
    message: "{title} of `{model}` has no name",
    help: 'write `name: "…"`',
  },
  (model, report) => {
    for (const { side, io, path, title } of portsOf(model))
      if (!io.name) report(model.at(path, "no `name`"), { title, side });
  },
);

const noDatatype = modelRule(
  {
    code: "tensor/no-datatype",
    triton: ["38"],
    atLoad: "completed",
    reason: "Triton checks the datatype of every request.",
    words: "model {side} '{tensor}' must specify 'data_type' for {model}",
    message: "{title} of `{model}` has no datatype",
    help: "write `data_type: TYPE_…`",
  },
  (model, report) => {
    for (const { side, io, path, title } of portsOf(model)) {
      const { data_type: type = "TYPE_INVALID" } = io;
      if (type === "TYPE_INVALID" && !fillsTensors(model))
        report(model.at([...path, "data_type"], io.data_type ? "no datatype" : "no `data_type`"), {
          title,
          side,
          tensor: io.name ?? "",
        });
    }
  },
);

const noDims = modelRule(
  {
    code: "tensor/no-dims",
    triton: ["39"],
    atLoad: "completed",
    reason: "Triton has no scalars; a tensor with one value has `dims: [ 1 ]`.",
    words: "model {side} '{tensor}' must specify 'dims' for {model}",
    message: "{title} of `{model}` has no dims",
    help: "write `dims`, without the batch when max_batch_size is set; `dims: [ 1 ]` for one value",
  },
  (model, report) => {
    for (const { side, io, path, title } of portsOf(model))
      if (!io.dims?.length && !fillsTensors(model))
        report(model.at([...path, "dims"], "no `dims`"), { title, side, tensor: io.name ?? "" });
  },
);

const badDim = modelRule(
  {
    code: "tensor/bad-dim",
    triton: ["40", "41"],
    atLoad: "completed",
    reason: "A dimension is a size, or -1 if the size is variable.",
    words: {
      dims: "model {side} '{tensor}' dimension must be integer >= 1, or -1 to indicate a variable-size dimension for {model}",
      reshape:
        "model {side} '{tensor}' reshape dimensions must be integer >= 1, or -1 to indicate a variable-size dimension for {model}",
    },
    message: "{title} of `{model}` has dimension {dim}",
    help: "write 1 or more, or -1 for a variable size",
  },
  (model, report) => {
    for (const { side, io, path, title } of portsOf(model)) {
      const lists = [
        ["dims", io.dims, [...path, "dims"]],
        ["reshape", io.reshape?.shape, [...path, "reshape", "shape"]],
      ] as const;
      for (const [words, dims = [], at] of lists)
        for (const [i, dim] of dims.entries())
          if (dim < 1 && dim !== -1)
            report(model.at([...at, i], "not a size"), { title, side, tensor: io.name ?? "", dim, words });
    }
  },
);

const format = modelRule(
  {
    code: "tensor/format-dims",
    triton: ["47"],
    atLoad: "completed",
    reason: "NHWC and NCHW describe three dimensions, without the batch.",
    words: "model input NHWC/NCHW require 3 dims for {model}",
    message: "input `{name}` of `{model}` is {format} but has {count} dims, not 3",
    help: "give it three dims, or remove `format`",
  },
  ({ config, at }, report) => {
    for (const [i, { name = "", format: layout = "FORMAT_NONE", dims = [] }] of (
      config.input ?? []
    ).entries()) {
      if ((layout !== "FORMAT_NHWC" && layout !== "FORMAT_NCHW") || dims.length === 3) continue;
      report([at(["input", i, "dims"], `${dims.length} dims`), at(["input", i, "format"], "needs three")], {
        name,
        format: layout,
        count: dims.length,
      });
    }
  },
);

const shapeTensor = modelRule(
  {
    code: "tensor/shape-tensor",
    triton: ["48", "131"],
    atLoad: "completed",
    reason: "Only TensorRT supports shape tensors.",
    words: "shape tensors are only supported for TensorRT platform for {model}",
    message: "{title} of `{model}` is a shape tensor, which only the platform `tensorrt_plan` supports",
    help: "remove `is_shape_tensor`",
  },
  (model, report) => {
    if (model.config.platform === "tensorrt_plan") return;
    for (const { io, path, title } of portsOf(model))
      if (io.is_shape_tensor === true)
        report(model.at([...path, "is_shape_tensor"], "TensorRT only"), { title });
  },
);

const nonLinear = modelRule(
  {
    code: "tensor/non-linear-format",
    triton: ["49"],
    atLoad: "completed",
    since: "24.08",
    reason: "Only TensorRT supports layouts other than row-major.",
    words: "Non-linear IO format is only supported for the TensorRT platform for {model}",
    message: "{title} of `{model}` has a non-linear format, which only the platform `tensorrt_plan` supports",
    help: "remove `is_non_linear_format_io`",
  },
  (model, report) => {
    if (model.config.platform === "tensorrt_plan") return;
    for (const { io, path, title } of portsOf(model))
      if (io.is_non_linear_format_io === true)
        report(model.at([...path, "is_non_linear_format_io"], "TensorRT only"), { title });
  },
);

const nonLinearDims = modelRule(
  {
    code: "tensor/non-linear-format-dims",
    triton: ["49"],
    atLoad: "completed",
    judged: "stub",
    since: "24.08",
    reason: "TensorRT's non-linear formats are for images.",
    words: "Non-linear IO format {side} requires 3 dims for {model}",
    message: "{title} of `{model}` has a non-linear format but {count} dims, not 3",
    help: "give it three dims",
  },
  (model, report) => {
    if (model.config.platform !== "tensorrt_plan") return;
    for (const { side, io, path, title } of portsOf(model)) {
      const count = io.dims?.length ?? 0;
      if (io.is_non_linear_format_io !== true || count === 3 || (count === 0 && fillsTensors(model)))
        continue;
      report(model.at([...path, "dims"], `${count} dims`), { title, side, count });
    }
  },
);

export const tensorRules: readonly Rule[] = [
  noName,
  noDatatype,
  noDims,
  badDim,
  format,
  shapeTensor,
  nonLinear,
  nonLinearDims,
];
