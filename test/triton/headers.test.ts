import { type GrpcServer, type HttpServer, type Restrictions, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { type GrpcCaller, openCaller } from "./grpc-call.ts";
import { shownReply } from "./grpc-reply.ts";
import { installTime, type Judged, judgeFiles } from "./judge.ts";
import { type RawRequest, sendRaw } from "./raw-request.ts";

/** Returns the parts of its request that a model can see. */
const seeing = `
import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        seen = {
            "parameters": json.loads(request.parameters()),
            "sequence": request.correlation_id(),
            "flags": request.flags(),
            "timeout": request.timeout(),
        }
        text = np.array([[json.dumps(seen, sort_keys=True)]], object)
        return pb_utils.InferenceResponse([pb_utils.Tensor("SEEN", text)])
`;
/** Calls the first model. */
const asking = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(pb_utils.get_input_tensor_by_name(request, "X")) for request in requests]

    def answer(self, x):
        request = pb_utils.InferenceRequest(model_name="seeing", requested_output_names=["SEEN"], inputs=[x])
        return pb_utils.InferenceResponse(request.exec().output_tensors())
`;
const ports = `max_batch_size: 1
input [ { name: "X" data_type: TYPE_INT32 dims: [ 1 ] } ]
output [ { name: "SEEN" data_type: TYPE_STRING dims: [ 1 ] } ]
`;
const files: Files = {
  "seeing/config.pbtxt": `name: "seeing"\nbackend: "python"\n${ports}instance_group [ { kind: KIND_CPU } ]\n`,
  "seeing/1/model.py": seeing,
  "asking/config.pbtxt": `name: "asking"\nbackend: "python"\n${ports}instance_group [ { kind: KIND_CPU } ]\n`,
  "asking/1/model.py": asking,
  "passing/config.pbtxt": `name: "passing"\nplatform: "ensemble"\n${ports}ensemble_scheduling { step [ { model_name: "seeing" model_version: -1 input_map { key: "X" value: "X" } output_map { key: "SEEN" value: "SEEN" } } ] }\n`,
  "passing/1/": "",
};

const restricted = {
  // Health requests are not restricted, because the judge uses them to detect that the server has started.
  "http-restricted-api": [
    "metadata,inference:K-one=a=b",
    "trace,logging,statistics,model-config:k2=2",
    "shared-memory,model-repository:k3=3",
  ],
  "grpc-restricted-protocol": [
    "health,metadata,inference:k1=1",
    "trace,logging,statistics,model-config:k2=2",
    "shared-memory,model-repository:K3=3",
  ],
} as const;
const restrictions = (of: keyof typeof restricted): Restrictions =>
  new Map(
    restricted[of].flatMap((text) => {
      const [, names = "", header = "", value = ""] = /^(.*?):(.*?)=(.*)$/.exec(text) ?? [];
      return names.split(",").map((name) => [name as never, { header, value }] as const);
    }),
  );

let judged: Judged;
let http: HttpServer;
let grpc: GrpcServer;
let callers: readonly GrpcCaller[];
beforeAll(async () => {
  judged = await judgeFiles(files, {
    tritonArguments: [
      "--http-header-forward-pattern=X-|^other$",
      "--grpc-header-forward-pattern=X-",
      ...Object.entries(restricted).flatMap(([name, all]) => all.map((one) => `--${name}=${one}`)),
    ],
  });
  http = await serveHttp(judged.local, {
    port: 0,
    forwardedNames: /X-|^other$/i,
    restrictions: restrictions("http-restricted-api"),
  });
  grpc = await serveGrpc(judged.local, {
    port: 0,
    forwardedNames: /X-/i,
    restrictions: restrictions("grpc-restricted-protocol"),
  });
  callers = [openCaller(judged.triton.grpcAddress), openCaller(grpc.address)];
}, installTime);
afterAll(async () => {
  for (const caller of callers ?? []) caller.close();
  await Promise.all([http?.close(), grpc?.close()]);
  await judged?.stop();
});

const allowed = { "K-one": "a=b", k2: "2", k3: "3" };
const sent = (model: string, body: object, headers: RawRequest["headers"] = {}): RawRequest => ({
  path: `/v2/models/${model}`,
  headers: { ...allowed, ...headers },
  body: JSON.stringify(body),
});
const x = { inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], data: [1] }] };

const onBoth = async (request: RawRequest): Promise<readonly unknown[]> =>
  Promise.all(
    [judged.triton.httpUrl, http.url].map(async (url) => {
      const { status, body } = await sendRaw(url, request);
      return { status, body: body.length === 0 ? "" : (JSON.parse(body.toString()) as unknown) };
    }),
  );

const forwarded = { "X-One": "a", "x-two": "é b", "Its-x-three": "", Other: "o", Another: "no", x: "no" };
const options = { sequence_id: 7, sequence_start: true, sequence_end: true, priority: 2, timeout: 5000 };
const headersOfOptions = { "x-a": "1", "sequence_id-x-": "5" };
const cases: Readonly<Record<string, RawRequest>> = {
  "a model": sent("seeing/infer", x, forwarded),
  "an ensemble": sent("passing/infer", x, forwarded),
  "a model that asks another one": sent("asking/infer", x, forwarded),
  "a header wins over a parameter": sent(
    "seeing/infer",
    { ...x, parameters: { "x-two": 5, own: true } },
    forwarded,
  ),
  "options stay options": sent("seeing/infer", { ...x, parameters: options }, headersOfOptions),
  "generate forwards nothing": sent("seeing/generate", { X: 1, own: 1 }, forwarded),
  "generate has no options": sent("seeing/generate", {
    X: 1,
    ...options,
    triton_x: 1.5,
    binary_data_output: true,
  }),
  "generate hands over what is nested": sent("seeing/generate", {
    X: 1,
    parameters: { ...options, own: "x" },
  }),
  "generate with an ensemble": sent("passing/generate", { X: 1, ...options }),
  "generate_stream has no options": sent("seeing/generate_stream", { X: 1 }, { "K-one": "no" }),
};

test.each(Object.entries(cases))(
  "over HTTP, models see the same headers as in Triton: %s",
  async (_, request) => {
    const [triton, local] = await onBoth(request);
    expect(local).toEqual(triton);
  },
);

const numbers = [
  "1",
  "-1",
  "0",
  "-0",
  "1.0",
  "-0.0",
  "1e2",
  "2.5",
  "1e-7",
  "1e21",
  "1e400",
  "NaN",
  "-Infinity",
  "Inf",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775808",
  "-9223372036854775809",
  "18446744073709551615",
  "18446744073709551616",
];
const values = [...numbers, '""', '"é\\u0000b"', '"\\u0000"', "true", "null", "[1]", "{}"];

test.each(values)("over HTTP, models see the parameter %s with the same type as in Triton", async (value) => {
  for (const [path, body] of [
    ["seeing/infer", `{"inputs":${JSON.stringify(x.inputs)},"parameters":{"own":${value}}}`],
    ["passing/infer", `{"inputs":${JSON.stringify(x.inputs)},"parameters":{"own":${value}}}`],
    ["seeing/generate", `{"X":1,"own":${value}}`],
    ["seeing/generate_stream", `{"X":1,"parameters":{"own":${value}}}`],
  ] as const) {
    const [triton, local] = await Promise.all(
      [judged.triton.httpUrl, http.url].map(async (url) => {
        const { status, body: answer } = await sendRaw(url, { ...sent(path, {}), body });
        return { status, answer: answer.toString() };
      }),
    );
    expect(local).toEqual(triton);
  }
});

const inferMessage = (model: string, parameters: object = {}): object => ({
  model_name: model,
  id: "",
  parameters,
  inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], contents: { int_contents: [1] } }],
});
const grpcAllowed = { "triton-grpc-protocol-k1": "1" };
const metadata = { ...grpcAllowed, "x-one": "a", "its-x-two": "b", "x-bytes-bin": "", other: "no" };

test.each([
  ["seeing", {}],
  ["passing", {}],
  ["asking", {}],
  ["seeing", { "x-one": { int64_param: "5" }, own: { bool_param: true }, timeout: { int64_param: "9" } }],
  ["seeing", { own: { double_param: 1 }, zero: { double_param: -0 }, not: { double_param: Number.NaN } }],
  [
    "passing",
    { own: { double_param: -Infinity }, big: { double_param: 1e300 }, nul: { string_param: "a\0b" } },
  ],
  ["seeing", { triton_enable_empty_final_response: { bool_param: true } }],
  ["seeing", { triton_enable_empty_final_response: { bool_param: false }, own: { int64_param: "-1" } }],
])("over gRPC, models see the same metadata as in Triton: %s %o", async (model, parameters) => {
  const { "x-bytes-bin": _, ...texts } = metadata;
  const request = { method: "ModelInfer", message: inferMessage(model, parameters), metadata: texts };
  const [triton, local] = await Promise.all(
    callers.map(async (caller) => shownReply(await caller.call(request))),
  );
  expect(local).toEqual(triton);
  const streams = await Promise.all(
    callers.map((caller) => caller.stream([inferMessage(model, parameters)], texts)),
  );
  expect(streams[1]).toEqual(streams[0]);
});

const paths = {
  GET: [
    "",
    "/models/seeing",
    "/models/seeing/config",
    "/models/seeing/stats",
    "/models/stats",
    "/logging",
    "/trace/setting",
    "/models/seeing/trace/setting",
    "/systemsharedmemory/status",
    "/cudasharedmemory/status",
    "/models/seeing/infer",
    "/models/nobody",
    "/nothing",
  ],
  POST: [
    "/models/seeing/infer",
    "/models/nobody/infer",
    "/models/seeing/generate",
    "/models/seeing/generate_stream",
    "/repository/index",
    "/repository/models/seeing/load",
    "/repository/models/seeing/unload",
    "/systemsharedmemory/unregister",
    "/logging",
  ],
};
const requests = Object.entries(paths).flatMap(([method, all]) => all.map((path) => [method, path] as const));

test.each(requests)("a restricted API refuses as Triton does: %s /v2%s", async (method, path) => {
  for (const headers of [{}, { "K-one": "a", k2: "22", k3: "" }]) {
    const [triton, local] = await onBoth({ method, path: `/v2${path}`, headers });
    expect(local).toEqual(triton);
  }
});

test("the header's name is case-insensitive, its value is not", async () => {
  for (const [headers, status] of [
    [{ "k-ONE": "a=b" }, 200],
    [{ "K-one": "A=B" }, 403],
  ] as const)
    for (const url of [judged.triton.httpUrl, http.url])
      expect((await sendRaw(url, { path: "/v2", headers })).status).toBe(status);
});

const methods: Readonly<Record<string, object>> = {
  ServerLive: {},
  ServerReady: {},
  ModelReady: { name: "seeing" },
  ServerMetadata: {},
  ModelMetadata: { name: "seeing" },
  ModelConfig: { name: "seeing" },
  ModelStatistics: { name: "seeing" },
  TraceSetting: {},
  LogSettings: {},
  SystemSharedMemoryStatus: {},
  SystemSharedMemoryUnregister: {},
  CudaSharedMemoryStatus: {},
  RepositoryIndex: {},
  RepositoryModelLoad: { model_name: "seeing" },
  RepositoryModelUnload: { model_name: "seeing" },
  ModelInfer: inferMessage("seeing"),
};

test.each(Object.entries(methods))(
  "a restricted protocol refuses as Triton does: %s",
  async (method, message) => {
    for (const given of [{}, { "triton-grpc-protocol-k1": "2", "triton-grpc-protocol-k3": "3" }]) {
      const [triton, local] = await Promise.all(
        callers.map((caller) => caller.call({ method, message, metadata: given })),
      );
      expect(local).toEqual(triton);
      expect(local).toMatchObject({ code: 14 });
    }
  },
);

test("a stream is refused immediately", async () => {
  const [triton, local] = await Promise.all(callers.map((caller) => caller.stream([inferMessage("seeing")])));
  expect(local).toEqual(triton);
});

test("the server lists Triton's extensions, except CUDA shared memory, which it refuses", async () => {
  const [triton, local] = (await onBoth({ path: "/v2", headers: allowed })) as readonly {
    readonly body: { readonly extensions: readonly string[] };
  }[];
  expect(local?.body.extensions).toEqual(
    triton?.body.extensions.filter((name) => name !== "cuda_shared_memory"),
  );
});
