import { type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../packages/typed-client/src/client.ts";
import type { Contract, Tensor } from "../../packages/typed-client/src/contract.ts";
import { createHttpClient } from "../../packages/typed-client/src/create-http-client.ts";
import { createGrpcClient } from "../../packages/typed-client/src/grpc/create-grpc-client.ts";
import { installTime, judgeFiles } from "./judge.ts";

/** `seen` = what the model knows of the sequence so far: the texts of its requests, of which the last may be empty. */
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
        if tensor["START"]:
            self.sequences[key] = []
        self.sequences[key].append(tensor["text"].decode())
        seen = "+".join(self.sequences[key])
        if tensor["END"]:
            del self.sequences[key]
        seen = f"{seen} of {len(self.sequences)}"
        if tensor["text"] == b"!":
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("not that"))
        return pb_utils.InferenceResponse([pb_utils.Tensor("seen", np.array([[seen.encode()]], dtype=np.object_))])
`;
const control = (name: string, kind: string): string =>
  `control_input { name: "${name}" control { kind: CONTROL_SEQUENCE_${kind} ${kind === "CORRID" ? "" : "bool_false_true: [ false, true ]"} `;
const config = (id: string): string => `backend: "python"
max_batch_size: 2
input { name: "text" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "seen" data_type: TYPE_STRING dims: [ 1 ] }
instance_group { kind: KIND_CPU count: 1 }
sequence_batching { max_sequence_idle_microseconds: 2000000 direct { }
${control("START", "START")} } }
${control("END", "END")} } }
${control("ID", "CORRID")} data_type: ${id} } }
}
`;
const ensemble = (model: string): string => `platform: "ensemble"
max_batch_size: 2
input { name: "text" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "seen" data_type: TYPE_STRING dims: [ 1 ] }
ensemble_scheduling { step { model_name: "${model}" model_version: -1
  input_map { key: "text" value: "text" } output_map { key: "seen" value: "seen" } } }
`;
const files = Object.fromEntries(
  (
    [
      ["numbers", "TYPE_UINT64"],
      ["texts", "TYPE_STRING"],
    ] as const
  ).flatMap(([name, id]) => [
    [`${name}_memory/config.pbtxt`, config(id)],
    [`${name}_memory/1/model.py`, memory],
    [`${name}/config.pbtxt`, ensemble(`${name}_memory`)],
    [`${name}/1/`, ""],
  ]),
);

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

describe.each<[string, Open, status: number | string]>([
  ["HTTP against Triton", overHttp(() => judged.triton.httpUrl), 400],
  ["gRPC against Triton", overGrpc(() => judged.triton.grpcAddress), "INVALID_ARGUMENT"],
  ["HTTP against the local runtime", overHttp(() => http.url), 400],
  ["gRPC against the local runtime", overGrpc(() => grpc.address), "INVALID_ARGUMENT"],
])("sequences over %s", (_, open, status) => {
  it.each(["numbers", "texts", "numbers_memory"])("%s keep their state from start to end", async (name) => {
    const client = open(name);
    {
      await using dialogue = client.sequence();
      const say = async (text: string) => (await dialogue.infer({ text: [text] })).seen.data[0];
      expect(await Promise.all([say("a"), say("b"), say("c")])).toEqual(["a of 1", "a+b of 1", "a+b+c of 1"]);
      const other = client.sequence();
      expect((await other.infer({ text: ["x"] })).seen.data).toEqual(["x of 2"]);
      expect((await other.end({ text: ["y"] })).seen.data).toEqual(["x+y of 1"]);
      expect(await say("d")).toBe("a+b+c+d of 1");
    }
    // The block's end has freed the place: the model knows only this one.
    expect(
      (await client.sequence({ id: name === "texts" ? "t".repeat(128) : 77n }).end({ text: ["z"] })).seen
        .data,
    ).toEqual(["z of 0"]);
    client.close();
  });

  it("a model's error does not end the sequence", async () => {
    const client = open("numbers");
    await using dialogue = client.sequence();
    await dialogue.infer({ text: ["a"] });
    await expect(dialogue.infer({ text: ["!"] })).rejects.toMatchObject({
      kind: "refused",
      mayHaveRun: true,
      message: expect.stringContaining("not that"),
    });
    expect((await dialogue.infer({ text: ["b"] })).seen.data).toEqual([expect.stringMatching(/^a\+!\+b /)]);
    client.close();
  });

  it("a sequence that was idle for too long is forgotten, in Triton's words", async () => {
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
  });
});
