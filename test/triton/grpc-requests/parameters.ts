import { type GrpcRequests, infer, type Json, sum, tensor } from "./infer-message.ts";

const kinds: Readonly<Record<string, Json>> = {
  nothing: {},
  "a boolean": { bool_param: true },
  "an integer": { int64_param: 3 },
  "an integer below 0": { int64_param: -3 },
  "a fraction": { double_param: 0.5 },
  "an unsigned integer": { uint64_param: "18446744073709551615" },
  text: { string_param: "x" },
  "empty text": { string_param: "" },
};
const names = [
  "mine",
  "priority",
  "timeout",
  "sequence_id",
  "sequence_start",
  "sequence_end",
  "binary_data_output",
  "triton_mine",
  "triton_enable_empty_final_response",
  "",
];

/** Parameters of every type under every name that has a meaning, and parameters of tensors. */
export const parameters: GrpcRequests = {
  ...Object.fromEntries(
    names.flatMap((name) =>
      Object.entries(kinds).map(([kind, parameter]) => [
        `${kind} for ${name === "" ? "an empty name" : name}`,
        sum({ parameters: { [name]: parameter } }),
      ]),
    ),
  ),
  "a sequence in an ensemble": sum({
    model_name: "sum_twice",
    parameters: { sequence_id: { int64_param: 7 }, sequence_start: { bool_param: true } },
  }),
  "a sequence of text in an ensemble": sum({
    model_name: "sum_twice",
    parameters: { sequence_id: { string_param: "seven" }, sequence_end: { bool_param: true } },
  }),
  "a long name of a sequence": sum({ parameters: { sequence_id: { string_param: "s".repeat(200) } } }),
  "a priority in a batcher": infer({
    model_name: "batched",
    parameters: { priority: { uint64_param: 2 }, timeout: { int64_param: 5_000_000 } },
    inputs: [tensor("X", "INT32", [1, 1], { contents: { int_contents: [5] } })],
  }),
  "a parameter of an input": sum({}, { parameters: { note: { string_param: "x" } } }),
  "a size of binary data": sum({}, { parameters: { binary_data_size: { int64_param: 8 } } }),
  "shared memory in": sum({}, { parameters: { shared_memory_region: { string_param: "r" } } }),
  "a shared memory region that is not text": sum(
    {},
    { parameters: { shared_memory_region: { int64_param: 1 } } },
  ),
  "shared memory out": sum({
    outputs: [{ name: "SUM", parameters: { shared_memory_region: { string_param: "r" } } }],
  }),
  "shared memory and classes": sum({
    outputs: [
      {
        name: "SUM",
        parameters: { shared_memory_region: { string_param: "r" }, classification: { int64_param: 1 } },
      },
    ],
  }),
  "a parameter of an output": sum({
    outputs: [{ name: "SUM", parameters: { binary_data: { bool_param: false } } }],
  }),
};
