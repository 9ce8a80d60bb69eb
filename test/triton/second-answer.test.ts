import { type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GrpcCaller, openCaller } from "./grpc-call.ts";
import { shownReply, shownStreamed } from "./grpc-reply.ts";
import { installTime, type Judged, judgeFiles } from "./judge.ts";

const io = `input [ { name: "X" data_type: TYPE_STRING dims: [ 1 ] } ]
output [ { name: "Y" data_type: TYPE_STRING dims: [ 1 ] } ]
`;
const prelude = `
import numpy as np
import triton_python_backend_utils as pb_utils
FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
def text(value):
    return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([value], dtype=object))])
def error(message):
    return pb_utils.InferenceResponse([], pb_utils.TritonError(message))
`;
/** Executes the Python in input X, which can use `sender`, and returns its `returned`. The model is not decoupled. */
const obedient = `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        scope = {**globals(), "sender": requests[0].get_response_sender()}
        exec(requests[0].inputs()[0].as_numpy()[0].decode(), scope)
        return scope.get("returned")
`;
const asking = (exec: string): string => `${prelude}
def tell(response):
    return str({tensor.name(): tensor.as_numpy().tolist() for tensor in response.output_tensors()})
class TritonPythonModel:
    def execute(self, requests):
        asked = pb_utils.InferenceRequest(model_name="m", inputs=requests[0].inputs(), requested_output_names=["Y"])
        return [text(str([tell(response) for response in ${exec}]))]
`;
const ensemble = (steps: readonly (readonly [model: string, from: string, to: string])[]): string =>
  `platform: "ensemble" ${io} ensemble_scheduling { step [ ${steps
    .map(
      ([model, from, to]) =>
        `{ model_name: "${model}" model_version: -1 input_map { key: "X" value: "${from}" } output_map { key: "Y" value: "${to}" } }`,
    )
    .join(", ")} ] }`;
const python = `backend: "python" ${io}`;
const files = {
  "m/config.pbtxt": python,
  "m/1/model.py": obedient,
  "alone/config.pbtxt": ensemble([["m", "X", "Y"]]),
  "alone/1/": "",
  "echo/config.pbtxt": python,
  "echo/1/model.py": `${prelude}
class TritonPythonModel:
    def execute(self, requests):
        return [text("<" + request.inputs()[0].as_numpy()[0].decode() + ">") for request in requests]
`,
  "tail/config.pbtxt": ensemble([
    ["m", "X", "A"],
    ["echo", "A", "Y"],
  ]),
  "tail/1/": "",
  "asks/config.pbtxt": python,
  "asks/1/model.py": asking("[asked.exec()]"),
  "asks_stream/config.pbtxt": python,
  "asks_stream/1/model.py": asking("asked.exec(decoupled=True)"),
};

const sendsTwice = "sender.send(text('a'))\nsender.send(text('b'), FINAL)";
const sendsAndReturns = "sender.send(text('a'))\nreturned = [text('b')]";
const completesAndReturns = "sender.send(text('a'), FINAL)\nreturned = [text('b')]";
const sendsAndReturnsNoList = "sender.send(text('a'))\nreturned = 5";
const endsLater = "sender.send(text('a'))\nsender.send(flags=FINAL)";
const failsAndReturns = "sender.send(error('x'))\nreturned = [text('b')]";
const failsAndEndsLater = "sender.send(error('x'))\nsender.send(flags=FINAL)";
const onlyEnds = "sender.send(flags=FINAL)";

type Method = "infer" | "ModelInfer" | "ModelStreamInfer" | "generate" | "generate_stream";
const all: readonly Method[] = ["infer", "ModelInfer", "ModelStreamInfer", "generate", "generate_stream"];
const but = (...left: readonly Method[]): readonly Method[] => all.filter((method) => !left.includes(method));

/** Without the cases in which Triton 24.10 crashes, hangs or mixes two replies. */
const table: readonly (readonly [order: string, model: string, methods: readonly Method[]])[] = [
  [sendsTwice, "m", but("infer")],
  [sendsTwice, "alone", but("infer")],
  [sendsAndReturns, "m", but("infer")],
  [sendsAndReturns, "alone", but("infer")],
  [sendsAndReturnsNoList, "m", but("infer")],
  [completesAndReturns, "m", all],
  [completesAndReturns, "alone", all],
  [completesAndReturns, "tail", all],
  [completesAndReturns, "asks", all],
  [completesAndReturns, "asks_stream", all],
  [endsLater, "m", all],
  [endsLater, "alone", all],
  // Triton marks the response as final if the end arrives before the next step has answered.
  [endsLater, "tail", but("ModelStreamInfer")],
  [endsLater, "asks_stream", all],
  [failsAndReturns, "m", but("infer")],
  [failsAndReturns, "alone", all],
  [failsAndEndsLater, "m", but("ModelInfer")],
  [failsAndEndsLater, "alone", all],
  [onlyEnds, "m", all],
  [onlyEnds, "alone", all],
];

interface Address {
  readonly url: string;
  readonly caller: GrpcCaller;
}
let judged: Judged;
let http: HttpServer;
let grpc: GrpcServer;
let theirs: Address;
let ours: Address;
beforeAll(async () => {
  judged = await judgeFiles(files);
  http = await serveHttp(judged.local, { port: 0 });
  grpc = await serveGrpc(judged.local, { port: 0 });
  theirs = { url: judged.triton.httpUrl, caller: openCaller(judged.triton.grpcAddress) };
  ours = { url: http.url, caller: openCaller(grpc.address) };
}, installTime);
afterAll(async () => {
  for (const address of [theirs, ours]) address?.caller.close();
  await Promise.all([http?.close(), grpc?.close()]);
  await judged?.stop();
});

const post = async (url: string, body: object): Promise<object> => {
  const reply = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  return { status: reply.status, type: reply.headers.get("content-type"), body: await reply.text() };
};
const ask = async (
  { url, caller }: Address,
  method: Method,
  model: string,
  order: string,
): Promise<object> => {
  const message = {
    model_name: model,
    id: "7",
    inputs: [
      { name: "X", datatype: "BYTES", shape: [1], contents: { bytes_contents: [Buffer.from(order)] } },
    ],
  };
  const wantsEnd = { parameters: { triton_enable_empty_final_response: { bool_param: true } } };
  if (method === "ModelInfer") return shownReply(await caller.call({ method, message }));
  if (method === "ModelStreamInfer")
    return (await caller.stream([{ ...message, ...wantsEnd }])).map(shownStreamed);
  const inputs = [{ name: "X", datatype: "BYTES", shape: [1], data: [order] }];
  return post(`${url}/v2/models/${model}/${method}`, method === "infer" ? { id: "7", inputs } : { X: order });
};
const countsOf = async ({ url }: Address): Promise<object> => {
  const reply = await fetch(`${url}/v2/models/m/stats`);
  const { model_stats } = (await reply.json()) as {
    readonly model_stats: readonly {
      readonly inference_count: number;
      readonly execution_count: number;
      readonly inference_stats: Readonly<Record<"success" | "fail", { readonly count: number }>>;
    }[];
  };
  return model_stats.map(({ inference_count, execution_count, inference_stats: { success, fail } }) => [
    inference_count,
    execution_count,
    success.count,
    fail.count,
  ]);
};

describe.each(table)("%s: %s", (order, model, methods) => {
  test.each(methods)("%s", async (method) => {
    const wanted = await ask(theirs, method, model, order);
    expect(await ask(ours, method, model, order)).toEqual(wanted);
    // Triton counts an execution after it has sent the last response.
    await expect.poll(() => countsOf(theirs)).toEqual(await countsOf(ours));
  });
});

test("a reply that Triton mixes with a second one is an error that names the model", async () => {
  const reply = (await ask(ours, "infer", "m", sendsAndReturns)) as { readonly body: string };
  expect(reply).toMatchObject({ status: 500 });
  expect(JSON.parse(reply.body)).toEqual({
    error:
      "model 'm' is not decoupled, but an error followed its response: Failed to process the request(s) for model 'm_0', message: Unable to send response. Non-decoupled model cannot send more than one response.",
  });
});

test("warnings name the model", () => {
  const warnings = new Set(judged.notices.filter((line) => line.includes("WARNING")));
  expect([...warnings].toSorted()).toEqual([
    "[m_0] WARNING: Python model 'm_0' is not decoupled, but failed after it had sent a response. It must send exactly one response to each request and mark it with TRITONSERVER_RESPONSE_COMPLETE_FINAL.",
    "[m_0] WARNING: Python model 'm_0' is not decoupled, but marks a response as the last one only after it has sent it. Pass TRITONSERVER_RESPONSE_COMPLETE_FINAL together with the response: Triton 24.10 may crash if a model calls this one.",
  ]);
});
