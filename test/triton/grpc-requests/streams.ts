import { tensorOf } from "@tritype/core";
import { grpcInferRequest } from "@tritype/protocol";
import { floats, type Json, tensor } from "./infer-message.ts";

/** The messages of one stream. */
export interface StreamRequest {
  readonly messages: readonly object[];
  readonly metadata?: Readonly<Record<string, string>>;
}
export type StreamRequests = Readonly<Record<string, StreamRequest>>;

const ask = (words: readonly string[], rest: Json = {}): object => ({
  ...grpcInferRequest({
    model: "teller",
    id: "q",
    inputs: new Map([["ASK", tensorOf("BYTES", [words.length], words)]]),
  }),
  ...rest,
});
const sum = (id: string, rest: Json = {}): object => ({
  model_name: "sum",
  id,
  inputs: [tensor("A", "FP32", [1, 2]), tensor("B", "FP32", [1, 2])],
  raw_input_contents: [floats(1, 2), floats(0.5, -3)],
  ...rest,
});
const failing = (id: string, code: number): object => ({
  model_name: "failing",
  id,
  inputs: [tensor("X", "INT32", [1, 1])],
  raw_input_contents: [Buffer.from(new Int32Array([code]).buffer)],
});
const parameter = (name: string, value: Json): Json => ({ parameters: { [name]: value } });
const ended = parameter("triton_enable_empty_final_response", { bool_param: true });
const notEnded = parameter("triton_enable_empty_final_response", { bool_param: false });
const input = (rest: Json): Json => ({ inputs: [tensor("ASK", "BYTES", [1], rest)] });

const each = (words: Readonly<Record<string, readonly string[]>>): StreamRequests =>
  Object.fromEntries(
    Object.entries(words).flatMap(([name, one]) => [
      [`${name}, in a stream`, { messages: [ask(one)] }],
      [`${name}, with its end`, { messages: [ask(one, { ...ended, id: "e" })] }],
      [`${name}, of a version`, { messages: [ask(one, { ...ended, model_version: "1" })] }],
      [`${name}, of an ensemble`, { messages: [ask(one, { model_name: "told", ...notEnded })] }],
    ]),
  );

/** A request to the decoupled model that is expected to be refused. */
const refused = (message: Json): StreamRequest => ({
  messages: [{ model_name: "teller", id: "r", ...message }],
});
const one = { ...input({}), raw_input_contents: [Buffer.from("\x05\0\0\0say a")] };

/** Streams of several messages, and of decoupled models. */
export const streamRequests: Readonly<Record<string, StreamRequests>> = {
  "decoupled models in streams": each({
    "a response": ["say a"],
    responses: ["say a", "say b", "say c"],
    "a last response": ["say a", "last b"],
    "the last response alone": ["last a"],
    "an end alone": ["end"],
    nothing: [],
    "a failure": ["fail x"],
    "a failure first": ["fail x", "say a"],
    "a failure amid responses": ["say a", "fail x", "last b"],
    "a thrown error": ["raise x"],
    "a thrown error after a response": ["say a", "raise x"],
    "three elements": ["many 3"],
    "no elements": ["many 0"],
    "200 responses": ["repeat 200"],
  }),
  "refusals in streams": {
    "no inputs at all": refused({}),
    "an unknown input in a stream": refused({ ...one, inputs: [tensor("NOPE", "BYTES", [1])] }),
    "another dtype in a stream": refused({ ...one, inputs: [tensor("ASK", "INT32", [1])] }),
    "another rank in a stream": refused({ ...one, inputs: [tensor("ASK", "BYTES", [1, 1])] }),
    "too many elements in a stream": refused({ ...one, inputs: [tensor("ASK", "BYTES", [2])] }),
    "no data in a stream": refused(input({})),
    "data twice in a stream": refused({
      ...one,
      ...input({ contents: { bytes_contents: [Buffer.from("say a")] } }),
    }),
    "typed contents in a stream": refused(input({ contents: { bytes_contents: [Buffer.from("say a")] } })),
    "contents of another dtype in a stream": refused(input({ contents: { int_contents: [1] } })),
    "an unknown output in a stream": refused({ ...one, outputs: [{ name: "NOPE" }] }),
    "a known output in a stream": refused({ ...one, outputs: [{ name: "TEXT" }] }),
    "an unknown version in a stream": refused({ ...one, model_version: "9" }),
    "a version that is no number in a stream": refused({ ...one, model_version: "x" }),
    "a version below 0 in a stream": refused({ ...one, model_version: "-1" }),
    "an empty id in a stream": refused({ ...one, id: "" }),
    "shared memory in a stream": refused(
      input({
        parameters: {
          shared_memory_region: { string_param: "r" },
          shared_memory_byte_size: { int64_param: 8 },
        },
      }),
    ),
    "the end as a number": refused({
      ...one,
      ...parameter("triton_enable_empty_final_response", { int64_param: 1 }),
    }),
    "the end as a text": refused({
      ...one,
      ...parameter("triton_enable_empty_final_response", { string_param: "x" }),
    }),
    "a reserved parameter in a stream": refused({ ...one, ...parameter("triton_x", { bool_param: true }) }),
    "an own parameter in a stream": refused({ ...one, ...parameter("mine", { bool_param: true }) }),
    "a parameter without a value in a stream": refused({ ...one, ...parameter("mine", {}) }),
    "a timeout as a text in a stream": refused({ ...one, ...parameter("timeout", { string_param: "x" }) }),
    "a priority below 0 in a stream": refused({ ...one, ...parameter("priority", { int64_param: -1 }) }),
    "a sequence as a boolean in a stream": refused({
      ...one,
      ...parameter("sequence_id", { bool_param: true }),
    }),
    "an unknown model in a stream": refused({ ...one, model_name: "nope" }),
    "an empty name in a stream": refused({ ...one, model_name: "" }),
  },
  "several requests in a stream": {
    "no request": { messages: [] },
    "an end of a model that is not decoupled": { messages: [sum("s", ended)] },
    "answers in the order of requests": {
      messages: [
        sum("a"),
        failing("b", 1),
        { model_name: "nope", id: "c" },
        sum("d", { model_version: "1" }),
        failing("e", 2),
        sum("f"),
      ],
    },
    "fifty requests": { messages: Array.from({ length: 50 }, (_, i) => sum(String(i))) },
    "a decoupled request behind slow ones": { messages: [ask(["wait 300", "last a"], { id: "slow" })] },
    "requests to one decoupled model": {
      messages: [ask(["say a"], { id: "1" }), ask(["last b"], { id: "2" })],
    },
    "a refusal with triton_grpc_error": {
      messages: [{ model_name: "nope", id: "n" }, sum("s")],
      metadata: { triton_grpc_error: "true" },
    },
    "triton_grpc_error: false": {
      messages: [failing("f", 2)],
      metadata: { triton_grpc_error: "false" },
    },
  },
};
