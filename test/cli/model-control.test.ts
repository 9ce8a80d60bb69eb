import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { addModel, rowFiles } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { pipeline } from "./run-pipeline.ts";
import { type ServedHere, serveHere } from "./served-dev.ts";
import { project } from "./small-project.ts";

const add = (name: string, amount: number) => rowFiles(name, addModel(amount, "batch", 1), 1);
const control = async ({ url }: ServedHere, action: string): Promise<string> => {
  const reply = await fetch(`${url}/v2/repository/${action}`, { method: "POST" });
  return `${reply.status} ${await reply.text()}`.trim();
};
/** A model's result for 0. */
const ask = async ({ infer }: ServedHere, model: string): Promise<unknown> => {
  const { body } = await infer(model, {
    inputs: [{ name: "X", datatype: "FP32", shape: [1, 1], data: [0] }],
  });
  const { outputs, error } = body as {
    readonly outputs?: readonly { readonly data: readonly number[] }[];
    readonly error?: string;
  };
  return error ?? outputs?.[0]?.data[0];
};

test("explicit: dev serves the models named at the start, and models that requests load later", async () => {
  const small = project();
  writeFiles(join(small.root, "repository"), { ...add("a", 1), ...add("b", 2) });
  const server = await serveHere(small, [
    "repository",
    "--model-control-mode",
    "explicit",
    "--load-model",
    "a",
    "--load-model",
    "nobody",
  ]);
  expect(server.err()).toMatch(/^note failed to load 'nobody', failed to poll from model repository/m);
  expect(server.err()).toMatch(/^ {2}a +ready \(version 1\)$/m);
  expect(server.err()).toMatch(/^loading models on request; stop with Ctrl-C$/m);
  expect(await control(server, "index")).toBe(
    '200 [{"name":"a","version":"1","state":"READY"},{"name":"b"}]',
  );
  expect([await control(server, "models/b/load"), await control(server, "models/a/unload")]).toEqual([
    "200",
    "200",
  ]);
  expect([await ask(server, "a"), await ask(server, "b")]).toEqual([
    "Request for unknown model: 'a' has no available versions",
    2,
  ]);
  expect(await server.stop()).toMatchObject({ code: 0 });
});

test("explicit: a project is built once, and '*' loads all models", async () => {
  const small = project();
  const server = await serveHere(small, ["--model-control-mode", "EXPLICIT", "--load-model", "*"]);
  expect(server.err()).toMatch(/^ {2}total +ready \(version 1\)$/m);
  expect(await control(server, "models/total/unload")).toBe("200");
});

test("poll: the repository is read again at intervals", async () => {
  const small = project();
  const folder = join(small.root, "repository");
  writeFiles(folder, { ...add("a", 1), ...add("b", 2) });
  const server = await serveHere(small, [
    "repository",
    "--model-control-mode",
    "poll",
    "--repository-poll-secs",
    "1",
  ]);
  expect(server.err()).toMatch(/^looking for changes every 1 s; stop with Ctrl-C$/m);
  writeFiles(folder, add("a", 5));
  rmSync(join(folder, "b"), { recursive: true });
  await server.prints(/reloaded a/);
  expect(await ask(server, "a")).toBe(5);
  await expect.poll(() => ask(server, "b")).toBe("Request for unknown model: 'b' is not found");
  expect(await control(server, "models/b/load")).toBe(
    '503 {"error":"explicit model load / unload is not allowed if polling is enabled"}',
  );
  expect(await server.stop()).toMatchObject({ code: 0 });
});

test("none, and poll every 0 seconds: the repository is served as it was at the start", async () => {
  for (const options of [["none"], ["poll", "--repository-poll-secs", "0"]]) {
    const small = project();
    const folder = join(small.root, "repository");
    writeFiles(folder, add("a", 1));
    const server = await serveHere(small, ["repository", "--model-control-mode", ...options]);
    expect(server.err()).toMatch(/^stop with Ctrl-C$/m);
    writeFiles(folder, add("a", 5));
    await sleep(600);
    expect(await ask(server, "a")).toBe(1);
    await server.stop();
  }
});

test.each<[readonly string[], string]>([
  [["--model-control-mode", "maybe"], "--model-control-mode is maybe"],
  [["--load-model", "a"], "--load-model needs --model-control-mode explicit"],
  [["--model-control-mode", "poll", "--load-model", "a"], "--load-model needs --model-control-mode explicit"],
  [
    ["--model-control-mode", "explicit", "--load-model", "*", "--load-model", "a"],
    "--load-model '*' already includes every model",
  ],
  [["--model-control-mode", "poll", "--repository-poll-secs", "-1"], "repository-poll-secs"],
  [["--model-control-mode", "poll", "--repository-poll-secs=soon"], "--repository-poll-secs is soon"],
])("dev %j is refused", async (options, text) => {
  const { code, err } = await pipeline(project(), ["dev", ...options]);
  expect(code).toBe(2);
  expect(err).toContain(text);
});

const sleeper = `
import time
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        seconds = [float(pb_utils.get_input_tensor_by_name(request, "X").as_numpy().max()) for request in requests]
        time.sleep(max(seconds))
        return [pb_utils.InferenceResponse(request.inputs()) for request in requests]
`;

test("a Python model that takes longer than --python-timeout fails its request and answers the next one", async () => {
  const small = project();
  writeFiles(join(small.root, "repository"), {
    "sleeper/config.pbtxt": `backend: "python"
input [ { name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]
output [ { name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]
`,
    "sleeper/1/model.py": sleeper,
  });
  const server = await serveHere(small, ["repository", "--no-watch", "--python-timeout", "2s"], {
    env: { TRITYPE_PYTHON: await pythonWithNumpy() },
  });
  const wait = async (seconds: number): Promise<unknown> => {
    const { status, body } = await server.infer("sleeper", {
      inputs: [{ name: "X", datatype: "FP32", shape: [1], data: [seconds] }],
    });
    return [status, (body as { readonly error?: string }).error];
  };
  expect(await wait(0)).toEqual([200, undefined]);
  expect(await wait(60)).toEqual([
    500,
    "Stub process 'sleeper_0' is not healthy. It was killed after 2 s, the limit of one execution, while it ran this request.",
  ]);
  expect(await wait(0)).toEqual([200, undefined]);
  expect(await server.stop()).toMatchObject({ code: 0 });
});
