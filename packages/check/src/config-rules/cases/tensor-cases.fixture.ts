import { releaseOf, type TritonRelease } from "@tritype/triton";
import type { RuleCase } from "./rule-case.fixture.ts";

const identity = (fields: string) => ({ config: `backend: "identity" ${fields}` });
const input = (fields: string, rest = "") =>
  identity(`${rest} input { name: "X" data_type: TYPE_FP32 ${fields} }`);
const tensorrt = (fields: string, options = {}) => ({
  config: `backend: "tensorrt" input { name: "X" data_type: TYPE_FP32 ${fields} }`,
  options,
});
const at = (container: string) => ({ release: releaseOf(container) as TritonRelease });
const labelled = (file: string, files: Readonly<Record<string, string | null>>, options = {}) => ({
  config: `backend: "identity" output { name: "Y" data_type: TYPE_FP32 dims: 2 label_filename: "${file}" }`,
  files: { "m/1/x": "", ...files },
  options,
});

export const tensorCases: readonly RuleCase[] = [
  {
    code: "tensor/no-name",
    breaks: identity("output { data_type: TYPE_FP32 dims: 1 }"),
    says: "output 1 of `m` has no name",
    at: "output",
    passes: [input("dims: 1"), identity("")],
  },
  {
    code: "tensor/no-datatype",
    breaks: identity('input { name: "X" dims: 1 }'),
    says: "input `X` of `m` has no datatype",
    at: "input",
    passes: [
      identity('input { name: "X" dims: 1 data_type: 99 }'),
      { config: 'backend: "tensorrt" input { name: "X" dims: 1 }' },
      {
        config: 'backend: "python" input { name: "X" dims: 1 }',
        files: { "m/1/model.py": "def auto_complete_config(" },
      },
    ],
  },
  {
    code: "tensor/no-datatype",
    breaks: {
      config: 'backend: "tensorrt" input { name: "X" dims: 1 data_type: TYPE_INVALID }',
      options: { strict: true },
    },
    says: "input `X` of `m` has no datatype",
    at: "data_type",
    passes: [input("dims: 1")],
  },
  {
    code: "tensor/no-dims",
    breaks: input(""),
    says: "input `X` of `m` has no dims",
    at: "input",
    passes: [input("dims: [ 1 ]"), tensorrt("")],
  },
  {
    code: "tensor/bad-dim",
    breaks: input("dims: [ 1, 0 ]"),
    says: "input `X` of `m` has dimension 0",
    at: "0",
    passes: [input("dims: [ 1, -1 ]")],
  },
  {
    code: "tensor/bad-dim",
    breaks: input("dims: [ 1 ] reshape { shape: [ -2 ] }"),
    says: "input `X` of `m` has dimension -2",
    at: "-2",
    passes: [input("dims: [ 1 ] reshape { shape: [ 1 ] }")],
  },
  {
    code: "tensor/format-dims",
    breaks: input("format: FORMAT_NHWC dims: [ 1, 2 ]"),
    says: "input `X` of `m` is FORMAT_NHWC but has 2 dims, not 3",
    at: "dims",
    passes: [input("format: FORMAT_NCHW dims: [ 1, 2, 3 ]"), input("format: FORMAT_NONE dims: 1")],
  },
  {
    code: "tensor/shape-tensor",
    breaks: input("dims: 1 is_shape_tensor: true"),
    says: "input `X` of `m` is a shape tensor, which only platform `tensorrt_plan` has",
    at: "is_shape_tensor",
    passes: [input("dims: 1 is_shape_tensor: false"), tensorrt("dims: 1 is_shape_tensor: true")],
  },
  {
    code: "tensor/non-linear-format",
    breaks: input("dims: 1 is_non_linear_format_io: true"),
    says: "input `X` of `m` has a non-linear format, which only platform `tensorrt_plan` has",
    at: "is_non_linear_format_io",
    passes: [input("dims: 1"), tensorrt("dims: [ 1, 2, 3 ] is_non_linear_format_io: true")],
  },
  {
    code: "tensor/non-linear-format-dims",
    breaks: tensorrt("dims: 1 is_non_linear_format_io: true"),
    says: "input `X` of `m` has a non-linear format but 1 dims, not 3",
    at: "dims",
    passes: [
      tensorrt("dims: [ 1, 2, 3 ] is_non_linear_format_io: true"),
      tensorrt("is_non_linear_format_io: true"),
    ],
  },
  {
    code: "tensor/empty-reshape",
    breaks: input("dims: 1 reshape { }"),
    says: "input `X` of `m` reshapes to no dimensions, but the model has no batching",
    at: "reshape",
    passes: [input("dims: 1 reshape { }", "max_batch_size: 1"), input("dims: 1 reshape { shape: 1 }")],
  },
  {
    code: "tensor/reshape-size",
    breaks: input("dims: [ 2, 3 ] reshape { shape: [ 7 ] }"),
    says: "input `X` of `m` cannot reshape [2, 3] to [7]: 6 elements do not fill 7",
    at: "shape",
    passes: [
      input("dims: [ 2, 3 ] reshape { shape: [ 6 ] }"),
      input("dims: [ 2, 4, -1, 6 ] reshape { shape: [ 8, -1, 1, 6 ] }"),
      input("dims: [ 1, 1 ] reshape { }", "max_batch_size: 1"),
    ],
  },
  {
    code: "tensor/reshape-size",
    breaks: input("dims: [ -1, 4 ] reshape { shape: [ 2, -1, 2 ] }"),
    says: "input `X` of `m` cannot reshape [-1, 4] to [2, -1, 2]: 1 elements do not fill 2",
    at: "shape",
    passes: [input("dims: [ -1, 4 ] reshape { shape: [ -1, 2, 2 ] }")],
  },
  {
    code: "tensor/reshape-size",
    breaks: input("dims: [ -1, -1 ] reshape { shape: [ -1 ] }"),
    says: "input `X` of `m` cannot reshape [-1, -1] to [-1]: 2 dimensions are variable on one side, 1 on the other",
    at: "shape",
    passes: [input("dims: [ -1, -1 ] reshape { shape: [ -1, 1, -1 ] }")],
  },
  {
    code: "tensor/reshape-size",
    breaks: input("dims: [ -1 ] reshape { }", "max_batch_size: 1"),
    says: "input `X` of `m` cannot reshape [-1] to []: one of them has a variable size, the other does not",
    at: "reshape",
    passes: [input("dims: [ 1 ] reshape { }", "max_batch_size: 1")],
  },
  {
    code: "tensor/too-many-elements",
    breaks: { ...input("dims: [ 4294967296, 4294967296 ]"), options: at("26.03") },
    says: "input `X` of `m` has more elements than fit into 64 bits",
    at: "dims",
    passes: [
      { ...input("dims: [ 4294967296, 2147483647 ]"), options: at("26.03") },
      { ...input("dims: [ 4294967296, 4294967296 ]"), options: at("24.10") },
    ],
  },
  {
    code: "tensor/missing-labels",
    breaks: labelled("labels.txt", { "m/1/labels.txt": "" }),
    says: "labels `labels.txt` of output `Y` are not in the folder of `m`",
    at: "label_filename",
    passes: [
      labelled("labels.txt", { "m/labels.txt": "cat" }),
      labelled("sub/./labels.txt", { "m/sub/labels.txt": "cat" }),
      labelled("labels.txt", {}, { configsOnly: true }),
      labelled("../../n/labels.txt", {}),
    ],
  },
  {
    code: "tensor/labels-folder",
    breaks: labelled("labels", { "m/labels": null }),
    says: "labels `labels` of output `Y` are a folder, which crashes the server",
    at: "label_filename",
    passes: [labelled("labels", { "m/labels": "cat" })],
  },
  {
    code: "tensor/labels-outside",
    breaks: labelled("a/../../n/labels.txt", {}, at("26.02")),
    says: "labels `a/../../n/labels.txt` of output `Y` are outside of the folder of `m`",
    at: "label_filename",
    passes: [
      labelled("a/../labels.txt", { "m/labels.txt": "" }, at("26.02")),
      labelled("../n/labels.txt", {}, at("26.01")),
    ],
  },
];
