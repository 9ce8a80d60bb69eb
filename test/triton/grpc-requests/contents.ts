import { type DType, dtypes, elementSize } from "@tritype/core";
import { floats, type GrpcRequests, infer, type Json, sum, tensor, typedSum } from "./infer-message.ts";

/** Two elements in each field of `InferTensorContents`. */
const fields: Readonly<Record<string, readonly unknown[]>> = {
  bool_contents: [true, false],
  int_contents: [1, -2],
  int64_contents: [1, -2],
  uint_contents: [1, 2],
  uint64_contents: [1, 2],
  fp32_contents: [1, -0.5],
  fp64_contents: [1, -0.5],
  bytes_contents: [Buffer.from("ä"), Buffer.alloc(0)],
};
const all = Object.keys(dtypes) as DType[];
const echo = (dtype: string, shape: readonly unknown[], rest: Json, request: Json = {}) =>
  infer({
    model_name: `echo_${dtype.toLowerCase()}`,
    inputs: [tensor("X", dtype, shape, rest)],
    ...request,
  });
const raw = (dtype: DType): Buffer =>
  dtype === "BYTES" ? Buffer.from([1, 0, 0, 0, 65, 0, 0, 0, 0]) : Buffer.alloc(2 * elementSize(dtype), 1);

/** Tensors as raw and as typed contents: every field for every dtype, wrong sizes, and both at once. */
export const contents: GrpcRequests = {
  ...Object.fromEntries(
    all.flatMap((dtype) =>
      Object.entries(fields).map(([field, values]) => [
        `${field} for ${dtype}`,
        echo(dtype, [1, 2], { contents: { [field]: values } }),
      ]),
    ),
  ),
  ...Object.fromEntries(
    all.flatMap((dtype) => [
      [`${dtype}, raw`, echo(dtype, [1, 2], {}, { raw_input_contents: [raw(dtype)] })],
      [
        `${dtype}, a byte too many`,
        echo(dtype, [1, 2], {}, { raw_input_contents: [Buffer.concat([raw(dtype), Buffer.from([0])])] }),
      ],
      [`${dtype}, nothing raw`, echo(dtype, [1, 2], {}, { raw_input_contents: [Buffer.alloc(0)] })],
    ]),
  ),
  "an int8 beyond its range": echo("INT8", [1, 2], { contents: { int_contents: [300, -129] } }),
  "a uint8 beyond its range": echo("UINT8", [1, 2], { contents: { uint_contents: [300, 70_000] } }),
  "an int16 beyond its range": echo("INT16", [1, 2], { contents: { int_contents: [40_000, -40_000] } }),
  "an int64 to the last digit": echo("INT64", [1, 2], {
    contents: { int64_contents: ["9223372036854775807", "-9223372036854775808"] },
  }),
  "a uint64 to the last digit": echo("UINT64", [1, 1], {
    contents: { uint64_contents: ["18446744073709551615"] },
  }),
  "no elements, typed": echo("INT32", [0, 2], { contents: { int_contents: [] } }),
  "no elements, no contents": echo("INT32", [0, 2], {}),
  "typed contents that are too short": typedSum({ fp32_contents: [1] }),
  "typed contents that are too long": typedSum({ fp32_contents: [1, 2, 3] }),
  "typed contents that are empty": typedSum({}),
  "no contents": typedSum(null),
  "two typed contents": typedSum({ fp32_contents: [1, 2], int_contents: [1, 2] }),
  "two typed contents, the right one second": typedSum({
    bool_contents: [true, true],
    fp32_contents: [1, 2],
  }),
  "two typed contents, the right one first": echo("BOOL", [1, 2], {
    contents: { bool_contents: [true], int_contents: [1] },
  }),
  "typed contents of another field": typedSum({ int_contents: [1, 2] }),
  "typed beside raw": sum({}, { contents: { fp32_contents: [1, 2] } }),
  "empty typed contents beside raw": sum({}, { contents: {} }),
  "one raw, one typed": sum({ raw_input_contents: [floats(1, 2)] }, { contents: { fp32_contents: [1, 2] } }),
  "too few raw contents": sum({ raw_input_contents: [floats(1, 2)] }),
  "too many raw contents": sum({ raw_input_contents: [floats(1, 2), floats(1, 2), floats(1, 2)] }),
  "raw contents of another size": sum({ raw_input_contents: [floats(1, 2), floats(1)] }),
  "raw contents without inputs": sum({ inputs: [] }),
  "too little text, typed": echo("BYTES", [1, 3], { contents: { bytes_contents: fields["bytes_contents"] } }),
  "too much text, typed": echo("BYTES", [1, 1], { contents: { bytes_contents: fields["bytes_contents"] } }),
  "text cut in its length": echo("BYTES", [1, 1], {}, { raw_input_contents: [Buffer.from([1, 0])] }),
  "text cut in its text": echo("BYTES", [1, 1], {}, { raw_input_contents: [Buffer.from([9, 0, 0, 0, 65])] }),
  "too many raw texts": echo("BYTES", [1, 1], {}, { raw_input_contents: [raw("BYTES")] }),
  "too few raw texts": echo("BYTES", [1, 3], {}, { raw_input_contents: [raw("BYTES")] }),
};
