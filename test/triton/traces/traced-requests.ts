import type { GrpcCaller } from "../grpc-call.ts";
import { type RawRequest, sendRaw } from "../raw-request.ts";

/** One of the two servers that are compared. */
export interface Server {
  readonly url: string;
  readonly grpc: GrpcCaller;
}
export type Scenario = (server: Server) => Promise<unknown>;

type Headers = Readonly<Record<string, string>>;

const post = async (
  { url }: Server,
  path: string,
  body: unknown,
  headers: Headers = {},
): Promise<unknown> => {
  const request: RawRequest = { path, body: JSON.stringify(body), headers };
  const reply = await sendRaw(url, request);
  return { status: reply.status, body: reply.body.toString() };
};

export const infer =
  (model: string, number: number, more: object = {}, headers: Headers = {}): Scenario =>
  (server) =>
    post(
      server,
      `/v2/models/${model}/infer`,
      { inputs: [{ name: "X", datatype: "FP32", shape: [1, 2], data: [number, 1] }], ...more },
      headers,
    );

export const generate =
  (model: string, number: number, stream = false, headers: Headers = {}): Scenario =>
  (server) =>
    post(server, `/v2/models/${model}/generate${stream ? "_stream" : ""}`, { X: [number, 1] }, headers);

const message = (model: string, number: number, more: object = {}): object => ({
  model_name: model,
  inputs: [{ name: "X", datatype: "FP32", shape: [1, 2] }],
  raw_input_contents: [Buffer.from(new Float32Array([number, 1]).buffer)],
  ...more,
});
export const unary =
  (model: string, number: number, more: object = {}, metadata: Headers = {}): Scenario =>
  async ({ grpc }) => {
    const reply = await grpc.call({ method: "ModelInfer", message: message(model, number, more), metadata });
    return "code" in reply ? reply : "answered";
  };
export const stream =
  (requests: readonly Parameters<typeof message>[], metadata: Headers = {}): Scenario =>
  async ({ grpc }) =>
    (
      await grpc.stream(
        requests.map((given) => message(...given)),
        metadata,
      )
    ).length;

export const settings =
  (changes: object, model?: string): Scenario =>
  (server) =>
    post(server, `/v2/${model === undefined ? "" : `models/${model}/`}trace/setting`, changes);

/** Sends requests one after the other. */
export const steps =
  (...scenarios: readonly Scenario[]): Scenario =>
  async (server) => {
    const results: unknown[] = [];
    for (const scenario of scenarios) results.push(await scenario(server));
    return results;
  };

/** Sends each request shortly after the previous one. */
export const together =
  (...scenarios: readonly Scenario[]): Scenario =>
  async (server) => {
    const running: Promise<unknown>[] = [];
    for (const scenario of scenarios) {
      running.push(scenario(server));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return Promise.all(running);
  };

export const wrongOutput = { outputs: [{ name: "Z" }] };
const grpcSequence = (id: number) => ({ parameters: { sequence_id: { int64_param: String(id) } } });

/** Requests of every kind, which servers answer one by one. */
export const requests: Readonly<Record<string, Scenario>> = {
  "a model": infer("plain", 1, { id: "one" }),
  "a model with a dynamic batcher": infer("batched", 1),
  "an ensemble": infer("ensemble", 1, { id: "two" }),
  "a nested ensemble": infer("nested", 1),
  "calls of a Python model": infer("calling", 1, { id: "three" }),
  "calls that do not pass the trace on": infer("calling", 99),
  // Triton ends such a trace only once Python has collected the iterator.
  "a call of a decoupled model": steps(infer("calling", 77), infer("calling", 1)),
  "an ensemble around calls": infer("of_calling", 1),
  "an error of the model": infer("plain", 13),
  "an exception": infer("plain", 14),
  "an error in an ensemble": infer("ensemble", 13),
  "an error of a call": infer("calling", 13),
  "a request that the model refuses": steps(infer("plain", 1, wrongOutput), infer("plain", 1)),
  "an unknown model": steps(infer("nope", 1), infer("plain", 1)),
  "a request that is not valid": infer("plain", 1, { inputs: [{ name: "X" }] }),
  "the cache": steps(infer("cached", 1), infer("cached", 1)),
  "the cache in an ensemble": infer("of_cached", 1),
  "a sequence": infer("sequence", 1, {
    parameters: { sequence_id: 5, sequence_start: true, sequence_end: true },
  }),
  "a request that runs three times": steps(infer("iterative", 3), infer("iterative", 1)),
  "a request that runs twice, in an ensemble": infer("of_iterative", 2),
  "a sequence without a start": infer("sequence", 1, { parameters: { sequence_id: 9 } }),
  "a request that waits too long": together(
    infer("late", 15, { id: "first" }),
    infer("late", 1, { id: "second" }),
  ),
  "a full queue": together(
    infer("full", 15, { id: "first" }),
    infer("full", 1, { id: "second" }),
    infer("full", 1, { id: "third" }),
  ),
  generate: generate("plain", 1),
  "generate with an error": generate("plain", 13),
  generate_stream: generate("decoupled", 2, true),
  "generate_stream without a response": generate("decoupled", 0, true),
  "generate_stream of an ensemble": generate("of_decoupled", 2, true),
  "generate_stream with an error": generate("plain", 13, true),
  "a decoupled model over /infer": infer("decoupled", 1),
  gRPC: unary("plain", 1, { id: "four" }),
  "gRPC, an ensemble": unary("nested", 1),
  "gRPC, an error": unary("plain", 13),
  "gRPC, a request that the model refuses": steps(unary("plain", 1, wrongOutput), unary("plain", 1)),
  "gRPC, a sequence without a start": unary("sequence", 1, grpcSequence(9)),
  "gRPC, an unknown model": steps(unary("nope", 1), unary("plain", 1)),
  "gRPC, a request without data": steps(unary("plain", 1, { raw_input_contents: [] }), unary("plain", 1)),
  "a stream": stream([
    ["plain", 1, { id: "five" }],
    ["plain", 2, { id: "six" }],
  ]),
  "a stream with an error": stream([["plain", 13]]),
  "a stream with a request that the model refuses": stream([
    ["plain", 1, wrongOutput],
    ["plain", 1],
  ]),
  "a stream of a sequence without a start": stream([["sequence", 1, grpcSequence(9)]]),
  "a stream of a decoupled model": stream([["decoupled", 3]]),
  "a stream without a response": stream([["decoupled", 0]]),
  "a stream with its end": stream([
    ["decoupled", 1, { parameters: { triton_enable_empty_final_response: { bool_param: true } } }],
  ]),
  "a stream of an ensemble with a decoupled step": stream([["of_decoupled", 2]]),
};
