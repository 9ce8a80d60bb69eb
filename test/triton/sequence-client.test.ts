import { type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnyClient, Client, StreamingClient } from "../../packages/typed-client/src/client.ts";
import type { Contract, Tensor } from "../../packages/typed-client/src/contract.ts";
import { createHttpClient } from "../../packages/typed-client/src/create-http-client.ts";
import { createGrpcClient } from "../../packages/typed-client/src/grpc/create-grpc-client.ts";
import { installTime, judgeFiles } from "./judge.ts";

/**
 * A model whose output `seen` contains the texts of the sequence so far, with the sequence's id for `id`. The last one may be
 * empty.
 */
const memory = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.sequences = {}

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        tensor = {one.name(): one.as_numpy().reshape(-1)[0] for one in request.inputs()}
        key = tensor["ID"]
        # The row of a slot without a request has no sequence.
        if tensor["START"] or not tensor["READY"]:
            self.sequences[key] = []
        text = tensor["text"].decode()
        self.sequences[key].append(str(key) if text == "id" else text)
        seen = "+".join(self.sequences[key])
        if tensor["END"]:
            del self.sequences[key]
        if tensor["text"] == b"!":
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("not that"))
        return pb_utils.InferenceResponse([pb_utils.Tensor("seen", np.array([[seen.encode()]], dtype=np.object_))])
`;
const control = (name: string, kind: string): string =>
  `control_input { name: "${name}" control { kind: CONTROL_SEQUENCE_${kind} ${kind === "CORRID" ? "" : "bool_false_true: [ false, true ]"} `;
/**
 * A configuration. Triton 24.10 cannot fill the rows of empty slots if ids are strings, so models with string ids have one
 * slot per instance.
 */
const config = (id: string, slots: number): string => `backend: "python"
max_batch_size: ${slots}
input { name: "text" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "seen" data_type: TYPE_STRING dims: [ 1 ] }
instance_group { kind: KIND_CPU count: ${2 / slots} }
sequence_batching { max_sequence_idle_microseconds: 2000000 direct { }
${control("START", "START")} } }
${control("END", "END")} } }
${control("READY", "READY")} } }
${control("ID", "CORRID")} data_type: ${id} } }
}
`;
const ensemble = (model: string, slots: number): string => `platform: "ensemble"
max_batch_size: ${slots}
input { name: "text" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "seen" data_type: TYPE_STRING dims: [ 1 ] }
ensemble_scheduling { step { model_name: "${model}" model_version: -1
  input_map { key: "text" value: "text" } output_map { key: "seen" value: "seen" } } }
`;
/** A model that sends the number of requests in its sequence, repeated that many times. */
const counting = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.count = 0

    def execute(self, requests):
        for request in requests:
            start = pb_utils.get_input_tensor_by_name(request, "START").as_numpy().reshape(-1)[0]
            self.count = 1 if start else self.count + 1
            sender = request.get_response_sender()
            for _ in range(self.count):
                seen = np.array([[str(self.count).encode()]], dtype=np.object_)
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("seen", seen)]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;
const files = {
  "counting/config.pbtxt": `${config("TYPE_UINT64", 1)}model_transaction_policy { decoupled: true }`,
  "counting/1/model.py": counting,
  ...Object.fromEntries(
    (
      [
        ["numbers", "TYPE_UINT64", 2],
        ["texts", "TYPE_STRING", 1],
      ] as const
    ).flatMap(([name, id, slots]) => [
      [`${name}_memory/config.pbtxt`, config(id, slots)],
      [`${name}_memory/1/model.py`, memory],
      [`${name}/config.pbtxt`, ensemble(`${name}_memory`, slots)],
      [`${name}/1/`, ""],
    ]),
  ),
};

type Inputs = { readonly text: readonly string[] };
type Outputs = { readonly seen: Tensor<"BYTES", readonly string[]> };
const contract = (name: string): Contract<Inputs, Outputs> => ({
  name,
  sequenceIds: name === "texts" ? "BYTES" : "UINT64",
  inputs: { text: { dtype: "BYTES", dims: ["batch", 1] } },
  outputs: { seen: { dtype: "BYTES", dims: ["batch", 1] } },
});

let judged: Awaited<ReturnType<typeof judgeFiles>>;
let http: HttpServer;
let grpc: GrpcServer;
beforeAll(async () => {
  judged = await judgeFiles(files);
  http = await serveHttp(judged.local, { port: 0 });
  grpc = await serveGrpc(judged.local, { port: 0 });
}, installTime);
afterAll(async () => {
  await grpc?.close();
  await http?.close();
  await judged?.stop();
});

type Open = (name: string) => Client<Inputs, Outputs>;
const overHttp =
  (url: () => string): Open =>
  (name) =>
    createHttpClient({ url: url(), ensemble: contract(name) });
const overGrpc =
  (address: () => string): Open =>
  (name) =>
    createGrpcClient({ address: address(), ensemble: contract(name) });

const servers: readonly (readonly [string, Open, status: number | string])[] = [
  ["HTTP against Triton", overHttp(() => judged.triton.httpUrl), 400],
  ["gRPC against Triton", overGrpc(() => judged.triton.grpcAddress), "INVALID_ARGUMENT"],
  ["HTTP against the local runtime", overHttp(() => http.url), 400],
  ["gRPC against the local runtime", overGrpc(() => grpc.address), "INVALID_ARGUMENT"],
];

describe.each(servers)("sequences over %s", (_, open) => {
  it.each(["numbers", "texts", "numbers_memory"])("%s keep their state from start to end", async (name) => {
    const client = open(name);
    let id: number | bigint | string;
    {
      await using dialogue = client.sequence();
      id = dialogue.id;
      const say = async (text: string) => (await dialogue.infer({ text: [text] })).seen.data[0];
      expect(await Promise.all([say("a"), say("b"), say("c")])).toEqual(["a", "a+b", "a+b+c"]);
      const other = client.sequence();
      expect((await other.infer({ text: ["x"] })).seen.data).toEqual(["x"]);
      expect((await other.end({ text: ["y"] })).seen.data).toEqual(["x+y"]);
      expect(await say("d")).toBe("a+b+c+d");
    }
    // The end of the block has also ended the sequence on the server.
    const late = client.infer({ text: ["e"] }, { parameters: { sequence_id: id } });
    await expect(late).rejects.toMatchObject({ kind: "forgotten" });
    const own = client.sequence({ id: name === "texts" ? "t".repeat(128) : 77n });
    expect((await own.end({ text: ["z"] })).seen.data).toEqual(["z"]);
    client.close();
  });

  it.each([7, 2 ** 60, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n])(
    "the model gets the id %s, next to another sequence",
    async (id) => {
      const client = open("numbers");
      const [one, other] = [client.sequence({ id }), client.sequence({ id: 2n ** 62n + 1n })];
      await one.infer({ text: ["a"] });
      await other.infer({ text: ["b"] });
      expect((await one.end({ text: ["id"] })).seen.data).toEqual([`a+${BigInt(id)}`]);
      expect((await other.end({ text: ["id"] })).seen.data).toEqual([`b+${2n ** 62n + 1n}`]);
      client.close();
    },
  );

  it("an error in a model does not end the sequence", async () => {
    const client = open("numbers");
    await using dialogue = client.sequence();
    await dialogue.infer({ text: ["a"] });
    await expect(dialogue.infer({ text: ["!"] })).rejects.toMatchObject({
      kind: "refused",
      mayHaveRun: true,
      message: expect.stringContaining("not that"),
    });
    expect((await dialogue.infer({ text: ["b"] })).seen.data).toEqual(["a+!+b"]);
    client.close();
  });
});

it.concurrent.each(servers)(
  "a sequence over %s that was idle for too long is forgotten, with Triton's message",
  async (_, open, status) => {
    const client = open("numbers_memory");
    const dialogue = client.sequence();
    await dialogue.infer({ text: ["a"] });
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await expect(dialogue.infer({ text: ["b"] })).rejects.toMatchObject({
      kind: "forgotten",
      status,
      mayHaveRun: false,
      message: expect.stringMatching(
        /inference request for sequence \d+ to model 'numbers_memory' must specify the START flag on the first request of the sequence/,
      ),
    });
    await expect(dialogue.infer({ text: ["c"] })).rejects.toMatchObject({ kind: "invalid" });
    await dialogue.end();
    client.close();
  },
);

const countingContract = { ...contract("counting"), streams: true } as const;

it.each([
  ["Triton", () => judged.triton.grpcAddress],
  ["the local runtime", () => grpc.address],
])("a streaming model with sequences, over gRPC on %s", async (_, address) => {
  const client = createGrpcClient({ address: address(), ensemble: countingContract });
  const text = ["a"];
  const collect = async (answers: AsyncIterable<{ readonly seen: { readonly data: readonly string[] } }>) => {
    const seen: string[] = [];
    for await (const one of answers) seen.push(...one.seen.data);
    return seen.join(" ");
  };
  let id: number | bigint | string;
  {
    await using count = client.sequence();
    id = count.id;
    const requests = [1, 2, 3].map(() => collect(count.stream({ text })));
    expect(await Promise.all(requests)).toEqual(["1", "2 2", "3 3 3"]);
  }
  // The end of the block has ended the sequence on the server too.
  const late = collect(client.stream({ text }, { parameters: { sequence_id: id } }));
  await expect(late).rejects.toMatchObject({ kind: "forgotten" });
  const another = client.sequence({ id: 7n });
  expect(await collect(another.stream({ text }))).toBe("1");
  expect(await collect(another.end({ text }))).toBe("2 2");
  client.close();
});

describe.each([
  ["Triton", () => judged.triton.grpcAddress],
  ["the local runtime", () => grpc.address],
])("clients that only know a name, over gRPC on %s", (_, address) => {
  const text = ["a"];
  const collect = async (answers: AsyncIterable<unknown>) => {
    const seen: string[] = [];
    for await (const one of answers) seen.push(...(one as Outputs).seen.data);
    return seen.join(" ");
  };
  const open = <Opened>(ensemble: string) =>
    createGrpcClient({ address: address(), ensemble }) as unknown as Opened & { close(): void };

  it("a streaming sequence", async () => {
    const client = open<AnyClient<Inputs, Outputs>>("counting");
    let id: number | bigint | string;
    {
      await using count = client.sequence({ streams: true });
      id = count.id;
      expect(await collect(count.stream({ text }))).toBe("1");
      expect(await collect(count.stream({ text }))).toBe("2 2");
    }
    const late = collect(client.stream({ text }, { parameters: { sequence_id: id } }));
    await expect(late).rejects.toMatchObject({ kind: "forgotten" });
    expect(await collect(client.sequence({ streams: true }).end({ text }))).toBe("1");
    await expect(client.sequence().infer({ text })).rejects.toMatchObject({
      kind: "invalid",
      mayHaveRun: false,
      message:
        "counting streams: open the sequence with `client.sequence({ streams: true })`, and call `stream`",
    });
    client.close();
  });

  it("a client that has the type of a definition and only the name of the ensemble", async () => {
    const client = open<StreamingClient<Inputs, Outputs>>("counting");
    const count = client.sequence();
    expect(await collect(count.stream({ text }))).toBe("1");
    expect(await collect(count.end({ text }))).toBe("2 2");
    {
      await using next = client.sequence({ id: 7n });
      expect(await collect(next.stream({ text }))).toBe("1");
    }
    // The block has ended the sequence: its model has one slot for each of its two instances.
    expect(await collect(client.sequence().stream({ text }))).toBe("1");
    client.close();
  });

  it("a sequence of an ensemble that answers once", async () => {
    const client = open<AnyClient<Inputs, Outputs>>("numbers");
    await using dialogue = client.sequence();
    expect((await dialogue.infer({ text })).seen.data).toEqual(["a"]);
    expect((await dialogue.end({ text: ["b"] })).seen.data).toEqual(["a+b"]);
    await expect(client.sequence({ streams: true }).stream({ text }).next()).rejects.toMatchObject({
      kind: "invalid",
      message: "numbers answers a request once: call `infer`",
    });
    client.close();
  });
});

it("a client over HTTP that only knows a name", async () => {
  for (const url of [judged.triton.httpUrl, http.url]) {
    const client = createHttpClient({ url, ensemble: "numbers" }) as unknown as AnyClient<Inputs, Outputs>;
    {
      await using dialogue = client.sequence();
      expect((await dialogue.infer({ text: ["a"] })).seen.data).toEqual(["a"]);
      expect((await dialogue.end({ text: ["b"] })).seen.data).toEqual(["a+b"]);
    }
    client.close();
    const streaming = createHttpClient({ url, ensemble: "counting" }) as unknown as AnyClient<
      Inputs,
      Outputs
    >;
    const first = streaming.sequence({ streams: true }).stream({ text: ["a"] });
    await expect(first.next()).rejects.toMatchObject({
      kind: "invalid",
      message: "an HTTP stream has no sequences; use a gRPC client",
    });
    streaming.close();
  }
});

it("a stream over HTTP has no sequences, and a call is refused before anything is sent", async () => {
  const client = createHttpClient({ url: http.url, ensemble: countingContract });
  await expect(
    client
      .sequence()
      .stream({ text: ["a"] })
      .next(),
  ).rejects.toMatchObject({
    kind: "invalid",
    message: "an HTTP stream has no sequences; use a gRPC client",
    mayHaveRun: false,
  });
});
