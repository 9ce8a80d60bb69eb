import { infer, type Json, type Requests, sum } from "./infer-message.ts";

const given = (parameters: Json): ReturnType<typeof sum> => sum({}, { parameters });
const batched = (parameters: Json): ReturnType<typeof sum> =>
  infer("batched", { inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], data: [1] }], parameters });
const written = (parameters: string): ReturnType<typeof sum> =>
  infer(
    "sum_twice",
    `{"parameters":${parameters},"inputs":[{"name":"A","datatype":"FP32","shape":[1,2],"data":[1,2]},{"name":"B","datatype":"FP32","shape":[1,2],"data":[1,2]}]}`,
  );

/** Request parameters that Triton knows, and user-defined ones. */
export const parameters: Requests = {
  "no parameters": given({}),
  "a timeout": given({ timeout: 1_000_000 }),
  "a timeout of 0": given({ timeout: 0 }),
  "a timeout of a microsecond without a batcher": given({ timeout: 1 }),
  "a timeout below 0": given({ timeout: -1 }),
  "a timeout that is a fraction": given({ timeout: 1.5 }),
  "a timeout in a batcher": batched({ timeout: 10_000_000 }),
  "a priority": given({ priority: 1 }),
  "a priority in a batcher": batched({ priority: 2 }),
  "a priority beyond the levels": batched({ priority: 9 }),
  "a priority of 0": batched({ priority: 0 }),
  "a priority beyond 32 bits": batched({ priority: 2 ** 33 }),
  "a sequence in a model without": given({ sequence_id: 5, sequence_start: true, sequence_end: true }),
  "a sequence of text in a model without": given({ sequence_id: "five", sequence_start: true }),
  "a sequence of 0": given({ sequence_id: 0 }),
  "a sequence below 0": given({ sequence_id: -1 }),
  "a long name of a sequence": given({ sequence_id: "s".repeat(200) }),
  "a sequence in an ensemble": written('{"sequence_id":7,"sequence_start":true,"sequence_end":false}'),
  "a sequence of text in an ensemble": written('{"sequence_id":"seven","sequence_end":true}'),
  "the largest sequence in an ensemble": written('{"sequence_id":18446744073709551615}'),
  "a sequence beyond uint64": written('{"sequence_id":18446744073709551616}'),
  "a parameter of the user in an ensemble": written('{"mine":1,"yours":"x"}'),
  "a parameter beyond int64": written('{"mine":9223372036854775808}'),
  "a parameter that is a fraction": written('{"mine":0.25}'),
  "an empty name of a parameter": given({ "": 1 }),
  "a parameter that is not ASCII": given({ größe: "日本" }),
  "triton_ in the middle": given({ my_triton_x: 1 }),
  "triton_ in capitals": given({ TRITON_x: 1 }),
  triton_enable_empty_final_response: given({ triton_enable_empty_final_response: true }),
  "headers as a parameter": given({ headers: "x" }),
  "parameters of an input": sum({ parameters: { note: 1 } }),
  "parameters of an output": sum({}, { outputs: [{ name: "SUM", parameters: { note: 1 } }] }),
  "binary_data_size in the request": given({ binary_data_size: 8 }),
  "binary_data_output false": given({ binary_data_output: false }),
  "classification in the request": given({ classification: 1 }),
  "shared memory in": sum({ data: undefined, parameters: { shared_memory_region: "r" } }),
  "shared memory in, with a size": sum({
    data: undefined,
    parameters: { shared_memory_region: "r", shared_memory_byte_size: 8 },
  }),
  "shared memory beside data": sum({ parameters: { shared_memory_region: "r" } }),
  "shared memory out": sum({}, { outputs: [{ name: "SUM", parameters: { shared_memory_region: "r" } }] }),
  "shared memory out, with a size": sum(
    {},
    {
      outputs: [{ name: "SUM", parameters: { shared_memory_region: "r", shared_memory_byte_size: 8 } }],
    },
  ),
  "shared memory and classes": sum(
    {},
    { outputs: [{ name: "SUM", parameters: { shared_memory_region: "r", classification: 1 } }] },
  ),
  "shared memory and binary data": sum(
    {},
    { outputs: [{ name: "SUM", parameters: { shared_memory_region: "r", binary_data: true } }] },
  ),
};
