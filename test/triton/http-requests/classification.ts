import { a, b, binary, binaryInput, type Json, infer, type Requests, sum } from "./infer-message.ts";

const classesOf = (name: string, classification: unknown): Json => ({
  outputs: [{ name, parameters: { classification } }],
});
const classesOfEcho = (dtype: string, data: readonly number[], count: number): ReturnType<typeof infer> =>
  infer(`echo_${dtype.toLowerCase()}`, {
    inputs: [{ name: "X", datatype: dtype, shape: [1, data.length], data }],
    ...classesOf("Y", count),
  });

/** The classification extension. A request for classes of strings would crash the server. */
export const classification: Requests = {
  "the largest element": sum({}, classesOf("SUM", 1)),
  "more classes than there are": sum({}, classesOf("SUM", 9)),
  "classes of an output without labels": sum({}, classesOf("DIFF", 2)),
  "no classes": sum({}, classesOf("SUM", 0)),
  "classes as text": sum({}, classesOf("SUM", "1")),
  "classes below zero": sum({}, classesOf("SUM", -1)),
  "classes of two rows": infer("sum", {
    inputs: [a, b].map((one) => ({ ...one, shape: [2, 2], data: [1, 2, 4, 3] })),
    ...classesOf("SUM", 2),
  }),
  "classes as binary data": sum(
    {},
    {
      outputs: [{ name: "SUM", parameters: { classification: 2, binary_data: true } }],
    },
  ),
  "classes of one output of two": sum(
    {},
    {
      outputs: [{ name: "SUM", parameters: { classification: 1 } }, { name: "DIFF" }],
    },
  ),
  "classes of integers": infer("echo_int64", {
    inputs: [{ name: "X", datatype: "INT64", shape: [2, 2], data: [1, -7, 9, 0] }],
    ...classesOf("Y", 3),
  }),
  "classes of extremes": infer("echo_fp32", {
    inputs: [{ name: "X", datatype: "FP32", shape: [1, 4], data: [1e30, -1e-9, 3.4028235e38, 0.1] }],
    ...classesOf("Y", 4),
  }),
  "classes halfway between two printed numbers": classesOfEcho("FP32", [0.0078125, 1.0234375, -0.0078125], 3),
  "classes of integers of each kind": classesOfEcho("INT8", [1, -2, 127], 3),
  "classes of bytes": classesOfEcho("UINT8", [1, 255, 7], 2),
  "classes of short integers": classesOfEcho("INT16", [1, -30_000, 7], 2),
  "classes of unsigned integers": classesOfEcho("UINT64", [1, 2 ** 53, 7], 2),
  "classes of doubles": classesOfEcho("FP64", [0.1, 1 / 3, -1e300], 3),
  "classes of booleans": infer("echo_bool", {
    inputs: [{ name: "X", datatype: "BOOL", shape: [1, 2], data: [true, false] }],
    ...classesOf("Y", 1),
  }),
  "classes of halves": binary(
    "echo_fp16",
    binaryInput("FP16", [1, 2], 4, classesOf("Y", 1)),
    Buffer.from([0, 60, 0, 192]),
  ),
  "classes that are equal": classesOfEcho("FP32", [1, 1, 2, 1], 4),
  "classes of one element": classesOfEcho("FP32", [3], 1),
  "very many classes": classesOfEcho("FP32", [3, 4], 4_294_967_295),
  "classes in an error": sum({ name: "C" }, classesOf("SUM", 1)),
  "classes of an unknown output": sum({}, classesOf("NOPE", 1)),
};
