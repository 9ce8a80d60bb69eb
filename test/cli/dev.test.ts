import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
import { grpcClient } from "@tritype/client";
import { type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { listen } from "../fixtures/listen.ts";
import { doubleModel } from "../fixtures/models.ts";
import { pipeline } from "./run-pipeline.ts";
import { serve, serveHere, x } from "./served-dev.ts";
import { project, tokenizerSource } from "./small-project.ts";

const total = {
  status: 200,
  body: expect.objectContaining({
    outputs: [{ name: "sum", datatype: "FP32", shape: [1, 1], data: [12] }],
  }) as unknown,
};

test("dev builds the project, serves it over HTTP, gRPC and metrics, and exits with 0 on Ctrl-C", async () => {
  const server = await serve(project());
  expect(server.err()).toMatch(/^built build\/model_repository for Triton 24\.10: 3 models/);
  expect(server.err()).toMatch(/^serving build\/model_repository at http:\/\/127\.0\.0\.1:\d+$/m);
  for (const model of ["double", "total", "total_sum"])
    expect(server.err()).toMatch(new RegExp(`^ {2}${model} +ready \\(version 1\\)$`, "m"));
  expect(server.err().match(/^note .*$/gm)).toEqual([
    expect.stringMatching(/^note models run on the CPU: CUDA cannot be used \(.+\)$/),
  ]);
  const [, address = "", metrics = ""] = /gRPC at (\S+), metrics at (\S+)/.exec(server.err()) ?? [];
  const client = grpcClient(address);
  const inputs = new Map([["x", tensorOf("FP32", [1, 4], [0, 1, 2, 3])]]);
  const outputs = await client.infer({ model: "total", inputs });
  await client.close();
  expect(valuesOf(outputs.get("sum") as TensorData)).toEqual([12]);
  const text = await (await fetch(metrics)).text();
  expect(text).toContain('nv_inference_request_success{model="total",version="1"} 1\n');
  expect((await fetch(`${server.url}/v2/health/ready`)).status).toBe(200);
  expect(await server.infer("total", x([1, 4]))).toEqual(total);
  server.child.kill("SIGINT");
  expect(await server.ended).toMatchObject({ code: 0, signal: null, out: "" });
});

test("a request that is running at Ctrl-C is answered", async () => {
  const small = project({ ...slowRepository });
  const server = await serve(small, ["repository"], { env: { TRITYPE_PYTHON: await pythonWithNumpy() } });
  const answer = server.infer("slow", x([1, 4]));
  await server.prints(/executing/);
  server.child.kill("SIGINT");
  expect(await answer).toMatchObject({ status: 200 });
  expect(await server.ended).toMatchObject({ code: 0 });
});

test.each([
  ["whose client has left", true, []],
  ["that runs over --exit-timeout-secs", false, ["--exit-timeout-secs", "1"]],
])("a request %s does not delay SIGTERM", async (_, leaves, options) => {
  const asleep = slowRepository["repository/slow/1/model.py"].replace("1.5", "300");
  const small = project({ ...slowRepository, "repository/slow/1/model.py": asleep });
  const server = await serve(small, ["repository", ...options], {
    env: { TRITYPE_PYTHON: await pythonWithNumpy() },
  });
  const client = new AbortController();
  const body = JSON.stringify(x([1, 4]));
  const answer = fetch(`${server.url}/v2/models/slow/infer`, { method: "POST", body, signal: client.signal });
  const failed = expect(answer).rejects.toThrow();
  await server.prints(/executing/);
  if (leaves) client.abort();
  server.child.kill("SIGTERM");
  expect(await server.ended).toMatchObject({ code: 0 });
  await failed;
});

test("an invalid request gets Triton's status and message, and the server keeps serving; --device cpu prints no note", async () => {
  const server = await serveHere(project(), [
    "--http-max-input-size",
    "100000",
    "--device",
    "cpu",
    "--no-watch",
  ]);
  expect(server.err()).not.toContain("note");
  const wrong: readonly (readonly [unknown, number, string])[] = [
    ['{"inputs": [', 500, "failed to parse the request JSON buffer"],
    ["", 400, "input byte size mismatch"],
    [
      x([1, 4], { datatype: "INT32" }),
      400,
      "inference input 'x' data-type is 'INT32', but model 'total' expects 'FP32'",
    ],
    [x([1, 5]), 400, "unexpected shape for input 'x' for model 'total'. Expected [-1,4], got [1,5]"],
    [x([9, 4]), 400, "inference request batch-size must be <= 8 for 'total'"],
    [x([1, 4], { name: "z" }), 400, "'z'"],
    [x([1, 4], { data: [1, 2] }), 500, "Shape does not match true shape of 'data' field"],
    [{ inputs: [] }, 400, "total"],
  ];
  for (const [body, status, text] of wrong) {
    const answer = await server.infer("total", body);
    expect.soft({ body, status: answer.status }).toEqual({ body, status });
    expect.soft((answer.body as { readonly error: string }).error).toContain(text);
  }
  const unknown = await server.infer("totl", x([1, 4]));
  expect(unknown).toMatchObject({
    status: 404,
    body: { error: "Request for unknown model: 'totl' is not found" },
  });
  const large = await server.infer("total", `{"inputs": "${"x".repeat(100_000)}"}`);
  expect(large.status).toBe(400);
  expect(JSON.stringify(large.body)).toMatch(/exceed/);
  expect(await server.infer("total", x([1, 4]))).toEqual(total);
  expect(await server.stop()).toMatchObject({ code: 0 });
});

test("a port in use is reported, with the option that selects another one", async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  const port = await listen(other);
  const { code, err } = await pipeline(project(), ["dev", "--http-port", String(port)]);
  expect(code).toBe(2);
  expect(err).toContain(`error[port/in-use]: port ${port} on 127.0.0.1 is in use\n`);
  expect(err).toContain("--http-port");
});

const identity = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse(
                output_tensors=[pb_utils.Tensor("y", pb_utils.get_input_tensor_by_name(request, "x").as_numpy())]
            )
            for request in requests
        ]
`;
const tensors = `
max_batch_size: 8
input [{ name: "x", data_type: TYPE_FP32, dims: [4] }]
output [{ name: "y", data_type: TYPE_FP32, dims: [4] }]
`;
const slowRepository = {
  "repository/slow/config.pbtxt": `backend: "python"${tensors}`,
  "repository/slow/1/model.py": `import time\n${identity.replace("        return [", '        print("executing", flush=True)\n        time.sleep(1.5)\n        return [')}`,
};

test("dev serves a repository that tritype did not write: ONNX, Python, an ensemble, and broken models next to them", async () => {
  const small = project({
    "repository/double/config.pbtxt": `platform: "onnxruntime_onnx"${tensors}`,
    "repository/double/1/model.onnx": doubleModel(),
    "repository/same/config.pbtxt": `backend: "python"${tensors}`,
    "repository/same/1/model.py": identity,
    "repository/both/config.pbtxt": `platform: "ensemble"${tensors}
ensemble_scheduling { step [
  { model_name: "double", model_version: -1, input_map { key: "x" value: "x" }, output_map { key: "y" value: "t" } },
  { model_name: "same", model_version: -1, input_map { key: "x" value: "t" }, output_map { key: "y" value: "y" } }
] }
`,
    "repository/both/1/.keep": "",
    "repository/broken-config/config.pbtxt": "max_batch_size: : 8\n",
    "repository/broken-config/1/model.onnx": doubleModel(),
    "repository/broken-model/config.pbtxt": `backend: "onnxruntime"${tensors}`,
    "repository/broken-model/1/model.onnx": "<!DOCTYPE html>",
    "repository/broken-python/config.pbtxt": `backend: "python"${tensors}`,
    "repository/broken-python/1/model.py": "import nothing_of_that_name\n",
    "repository/no-backend/config.pbtxt": `backend: "tensorrt"${tensors}`,
    "repository/no-backend/1/model.plan": "",
    "repository/no-version/config.pbtxt": `backend: "onnxruntime"${tensors}`,
  });
  const server = await serveHere(small, ["repository"], { env: { TRITYPE_PYTHON: await pythonWithNumpy() } });
  const said = server.err();
  for (const model of ["both", "double", "same"])
    expect(said).toMatch(new RegExp(`^ {2}${model} +ready`, "m"));
  for (const [model, version, reason] of [
    ["broken-config", "", "config.pbtxt"],
    ["broken-model", " \\(version 1\\)", "model.onnx"],
    ["broken-python", " \\(version 1\\)", "nothing_of_that_name"],
    ["no-backend", " \\(version 1\\)", "tensorrt"],
    ["no-version", "", "version"],
  ] as const)
    expect.soft(said).toMatch(new RegExp(`^ {2}${model} +unavailable${version}: .*${reason}`, "m"));
  expect(said).toMatch(/^ {6}= help: add an ONNX stand-in/im);
  expect(said).not.toMatch(/PipelineError|frozen importlib/);
  expect(said).not.toMatch(/^ {4}at /m);
  const answer = await server.infer("both", x([1, 4]));
  expect(answer).toMatchObject({ status: 200, body: { outputs: [{ name: "y", data: [0, 2, 4, 6] }] } });
});

test.each([
  ["nowhere", "nowhere does not exist"],
  ["pipeline.ts", "is a file: it is not a model repository"],
  ["models", "contains no models: it is not a model repository"],
])("dev %s is refused", async (folder, message) => {
  const { code, err } = await pipeline(project(), ["dev", folder, "--http-port", "0"]);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("the twin runs if model.py has not changed since the build; otherwise the Python runs and one line says why", async () => {
  const small = project({ "pipeline.ts": tokenizerSource });
  await pipeline(small, ["build"]);
  const repository = ["build/model_repository"];
  const ask = { inputs: [{ name: "text", datatype: "BYTES", shape: [1, 1], data: ["hello"] }] };
  const answer = {
    status: 200,
    body: { outputs: [{ name: "input_ids", shape: [1, 3], data: [101, 7592, 102] }] },
  };
  const noPython = { env: { TRITYPE_PYTHON: "no-such-python" } };
  const twin = await serveHere(small, repository, noPython);
  expect(await twin.infer("ids", ask)).toMatchObject(answer);
  expect(twin.err()).not.toContain("note");
  await twin.stop();

  const always = await serveHere(small, [...repository, "--python"], noPython);
  expect(always.err()).toMatch(
    /^ {2}tokenize +unavailable \(version 1\): No Python 3\.8 or newer was found/m,
  );
  await always.stop();

  appendFileSync(small.path("build/model_repository/tokenize/1/model.py"), "\n# edited\n");
  const edited = await serveHere(small, repository, { env: { TRITYPE_PYTHON: await pythonWithNumpy() } });
  expect(edited.err().match(/^note .*$/gm)).toEqual([
    "note model 'tokenize' runs its Python: 1/model.py has changed since the build",
    expect.stringMatching(/^note Python models run on .* \(Python 3\.\d+\.\d+, numpy .*\)$/),
  ]);
  expect(await edited.infer("ids", ask)).toMatchObject(answer);
});

test("--device cuda without usable CUDA exits with 2 and prints what to do", async () => {
  const small = project();
  const { code, err } = await pipeline(small, ["dev", "--device", "cuda", "--http-port", "0"], {
    env: { CUDA_VISIBLE_DEVICES: "" },
  });
  expect(code).toBe(2);
  expect(err).toMatch(/^error\[device\/cuda-unusable\]: CUDA cannot be used: \S/m);
  expect(err).toContain("--device cpu");
});

test("run does not report that it uses the CPU", async () => {
  const { code, out, err } = await pipeline(project(), ["run", "-i", "x=[1,2,3,4]"]);
  expect({ code, out }).toEqual({ code: 0, out: "sum FP32[1, 1]\n  20\n" });
  expect(err).not.toContain("note");
});

test("a --host that is not an address of this machine is refused", async () => {
  const { code, err } = await pipeline(project(), ["dev", "--host", "192.0.2.1", "--http-port", "0"]);
  expect(code).toBe(2);
  expect(err).toContain("error[port/cannot-listen]: cannot listen on 192.0.2.1");
});

test("if the port after HTTP's is in use, gRPC is off unless it was requested", async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  const port = await listen(other);
  const server = await serveHere(project(), ["--no-watch", "--http-port", String(port - 1)]);
  expect(server.err()).toContain(`note no gRPC: port ${port} on 127.0.0.1 is in use`);
  await server.stop();
  const asked = await pipeline(project(), ["dev", "--http-port", "0", "--grpc-port", String(port)]);
  expect(asked.code).toBe(2);
  expect(asked.err).toContain("choose another port with --grpc-port");
});
