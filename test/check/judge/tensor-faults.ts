import * as fc from "fast-check";
import {
  addFiles,
  all,
  changeConfig,
  clear,
  nothing,
  each,
  omitIn,
  set,
  setInput,
  setOutput,
  type Edit,
} from "./draft.ts";
import type { Fault } from "./fault.ts";
import { legalSingle } from "./legal-single.ts";

const plain = legalSingle.map(all(clear("dynamic_batching"), set({ max_batch_size: 4 })));
const unbatched = legalSingle.map(all(clear("dynamic_batching"), set({ max_batch_size: 0 })));
const trt = legalSingle.map(set({ backend: "tensorrt", platform: "tensorrt_plan" }));
const notTrt = legalSingle.map(set({ backend: "openvino", platform: "" }));
const shape = (dims: readonly number[]): Edit => all(omitIn("input", "reshape"), setInput({ dims }));
const outShape = (dims: readonly number[]): Edit => all(omitIn("output", "reshape"), setOutput({ dims }));
const reshapes = (...pairs: readonly (readonly [readonly number[], readonly number[]])[]): readonly Edit[] =>
  pairs.map(([dims, to], index) =>
    (index % 2 === 1 ? setOutput : setInput)({ dims, reshape: { shape: to } }),
  );
const badDim = fc.constantFrom(0, -2, -100);
const atAnyPlace = (value: fc.Arbitrary<number>): fc.Arbitrary<readonly number[]> =>
  fc
    .tuple(
      fc.array(fc.constantFrom(1, 3, -1), { maxLength: 2 }),
      value,
      fc.array(fc.constantFrom(2, -1), { maxLength: 2 }),
    )
    .map(([before, bad, after]) => [...before, bad, ...after]);

/** Rules 37 to 56: tensors. */
export const tensorFaults: readonly Fault[] = [
  {
    rule: "37",
    about: "no tensor name",
    on: legalSingle,
    says: /model (input|output) must specify 'name' for/,
    refused: each(omitIn("input", "name"), omitIn("output", "name"), setInput({ name: "" })),
    accepted: each(" ", "a b", "x/y", "日本", "1").map((name) => setInput({ name })),
  },
  {
    rule: "38",
    about: "no data type",
    on: legalSingle,
    says: /must specify 'data_type'/,
    refused: each(
      omitIn("input", "data_type"),
      omitIn("output", "data_type"),
      setOutput({ data_type: "TYPE_INVALID" }),
    ),
    accepted: each(setInput({ data_type: "TYPE_BF16" }), setOutput({ data_type: "TYPE_STRING" })),
  },
  {
    rule: "39",
    about: "no dims",
    on: legalSingle,
    says: /must specify 'dims'/,
    refused: each(omitIn("input", "dims"), omitIn("output", "dims", "reshape")),
    accepted: each(shape([1]), outShape([1])),
  },
  {
    rule: "40",
    about: "a dim that is none",
    on: legalSingle,
    says: /dimension must be integer >= 1, or -1/,
    refused: fc.tuple(atAnyPlace(badDim), fc.boolean()).map(([dims, out]) => (out ? outShape : shape)(dims)),
    accepted: atAnyPlace(fc.constantFrom(1, -1, 2147483648)).map(shape),
  },
  {
    rule: "41",
    about: "a reshape dim that is none",
    on: plain,
    says: /reshape dimensions must be integer >= 1, or -1/,
    refused: reshapes([[1], [0]], [[4], [-2, 2]], [[-1], [-3]]),
    accepted: reshapes([[4], [2, 2]], [[-1], [-1]]),
  },
  {
    rule: "42",
    about: "an empty reshape without batching",
    on: unbatched,
    says: /cannot have empty reshape for non-batching model/,
    refused: reshapes([[1], []], [[1, 1], []]),
    accepted: reshapes([[1], [1]], [[1, 1], [1]]),
  },
  {
    rule: "43",
    about: "other sizes",
    on: plain,
    says: /has different size for dims and reshape/,
    refused: reshapes([[2, 3], [5]], [[2], []], [[-1, 4], [8]], [[8], [-1]]),
    accepted: reshapes([[2, 3], [6]], [[1], []], [[1, 1], []], [[6], [3, 1, 2]]),
  },
  {
    rule: "44",
    about: "other numbers of -1",
    on: plain,
    says: /has different number of variable-size dimensions/,
    refused: reshapes(
      [[-1, -1], [-1]],
      [[-1], [-1, -1]],
      [
        [-1, 2, -1],
        [2, -1],
      ],
    ),
    accepted: reshapes(
      [
        [-1, -1],
        [-1, -1],
      ],
      [
        [-1, 2, -1],
        [-1, 2, 1, -1],
      ],
    ),
  },
  {
    rule: "45",
    about: "other products between -1s",
    on: plain,
    says: /has different size for dims and reshape/,
    refused: reshapes(
      [
        [-1, 4],
        [2, -1, 2],
      ],
      [
        [2, -1],
        [-1, 2],
      ],
      [
        [2, -1, 3, -1],
        [2, -1, -1, 3],
      ],
    ),
    accepted: reshapes(
      [
        [2, 4, -1, 6],
        [8, -1, 1, 6],
      ],
      [
        [-1, 4],
        [-1, 2, 2],
      ],
    ),
  },
  {
    rule: "46",
    about: "more elements than int64 has",
    on: plain,
    accepted: each([4294967296, 4294967296], [9007199254740991, 9007199254740991]).map(shape),
  },
  {
    rule: "47",
    about: "an image format without three dims",
    on: legalSingle,
    says: /require 3 dims/,
    refused: fc
      .tuple(fc.constantFrom("FORMAT_NHWC", "FORMAT_NCHW"), fc.constantFrom([1], [2, 3], [1, 2, 3, 4]))
      .map(([format, dims]) => all(shape(dims), setInput({ format }))),
    accepted: fc
      .tuple(fc.constantFrom("FORMAT_NHWC", "FORMAT_NCHW"), fc.constantFrom([1, 2, 3], [-1, -1, -1]))
      .map(([format, dims]) => all(shape(dims), setInput({ format }))),
  },
  {
    rule: "48",
    about: "a shape tensor elsewhere than in TensorRT",
    on: notTrt,
    says: /shape tensors are only supported for TensorRT platform/,
    refused: each(setInput({ is_shape_tensor: true }), setOutput({ is_shape_tensor: true })),
    accepted: each(
      setInput({ is_shape_tensor: false }),
      all(set({ backend: "tensorrt", platform: "tensorrt_plan" }), setInput({ is_shape_tensor: true })),
    ),
  },
  {
    rule: "49",
    about: "a non-linear format",
    on: trt,
    says: /Non-linear IO format/,
    refused: each(
      all(shape([1, 2]), setInput({ is_non_linear_format_io: true })),
      all(outShape([1]), setOutput({ is_non_linear_format_io: true })),
      all(
        set({ backend: "openvino", platform: "" }),
        shape([1, 2, 3]),
        setInput({ is_non_linear_format_io: true }),
      ),
    ),
    accepted: each(
      all(shape([1, 2, 3]), setInput({ is_non_linear_format_io: true })),
      setOutput({ is_non_linear_format_io: false }),
    ),
  },
  {
    rule: "50",
    about: "names used twice, sides left out",
    on: legalSingle,
    accepted: each(
      changeConfig((config) => ({ ...config, input: [...(config.input ?? []), ...(config.input ?? [])] })),
      changeConfig((config) => ({ ...config, output: [...(config.output ?? []), ...(config.output ?? [])] })),
      setOutput({ name: "IN0" }),
      clear("input"),
      clear("output"),
    ),
  },
  {
    rule: "55",
    about: "a folder of labels, which kills the server",
    on: legalSingle,
    costly: true,
    dies: true,
    refused: each(all(setOutput({ label_filename: "labels" }), addFiles({ "labels/": "" }))),
  },
  {
    rule: "54",
    about: "ragged anywhere",
    on: legalSingle,
    accepted: each(setInput({ allow_ragged_batch: true })),
  },
  {
    rule: "55",
    about: "a labels file that is missing",
    on: legalSingle,
    says: /failed to open text file|unable to open|failed to open/,
    refused: each(
      setOutput({ label_filename: "labels.txt" }),
      all(setOutput({ label_filename: "labels.txt" }), addFiles({ "1/labels.txt": "a\n" })),
    ),
    accepted: each(
      all(setOutput({ label_filename: "labels.txt" }), addFiles({ "labels.txt": "a\nb\n" })),
      all(setOutput({ label_filename: "l/x.txt" }), addFiles({ "l/x.txt": "" })),
      setOutput({ label_filename: "" }),
    ),
  },
  {
    rule: "56",
    about: "labels outside the model, legal until later releases",
    on: legalSingle.map((draft) => [
      { name: "other", config: { backend: "fil" }, files: { "1/": "", "labels.txt": "a\n" } },
      ...draft,
    ]),
    accepted: each(setOutput({ label_filename: "../other/labels.txt" }), nothing),
  },
];
