import { readFileSync } from "node:fs";
import { tensorOf } from "@tritype/core";
import { createInspector, createRecorder, inspectRuntime } from "@tritype/inspector";
import { startRuntime } from "@tritype/runtime";
import type { Overview } from "@tritype/inspector/view";
import { serveHttp } from "@tritype/server";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { doubleModel } from "../fixtures/models.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { inspectedProject } from "./inspected-project.ts";

let project: ProjectFixture;
let runtime: Awaited<ReturnType<typeof startRuntime>>;
beforeAll(async () => {
  project = inspectedProject();
  runtime = await startRuntime({
    repository: project.path("build/model_repository"),
    device: "cpu",
    python: "twin",
    notice: () => {},
  });
});
afterAll(async () => {
  await runtime.close();
  project.remove();
});

const open = async (tensors: boolean) => {
  let checks = 0;
  const inspector = createInspector(
    inspectRuntime({
      runtime,
      repository: project.path("build/model_repository"),
      shownRepository: "by hand",
      tensors,
      check: async () => {
        checks++;
        return { findings: [], calls: new Map(), warnings: [] };
      },
    }),
  );
  const server = await serveHttp(runtime, { port: 0, apis: [inspector.api] });
  const get = async (path: string): Promise<unknown> =>
    (await fetch(`${server.url}/inspector/api/${path}`)).json();
  const run = async (): Promise<readonly string[]> => {
    const body = '{"inputs":[{"name":"IN","datatype":"FP32","shape":[1],"data":[2]}]}';
    const head = { model: "logs", headerLength: body.length, record: true };
    const response = await fetch(`${server.url}/inspector/api/run`, {
      method: "POST",
      body: `${JSON.stringify(head)}\n${body}`,
    });
    const lines = (await response.text()).trim().split("\n");
    return lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
  };
  return { inspector, get, run, checks: () => checks, close: () => server.close() };
};

test("without permission nothing is recorded, even if a page requests it", async () => {
  const { get, run, close } = await open(false);
  expect(await get("overview")).toMatchObject({ tensors: false, repository: "by hand" });
  expect(await run()).toEqual(["response", "end"]);
  await close();
});

test("a model counts as changed when it is loaded, not when its file is written", async () => {
  const { inspector, get, close } = await open(false);
  const files = async (): Promise<string | undefined> =>
    ((await get("overview")) as Overview).models.find(({ name }) => name === "log")?.files;
  const before = await files();
  const file = "build/model_repository/log/1/model.onnx";
  const [old, written] = [file, file.replace("log", "same")].map((path) => readFileSync(project.path(path)));
  project.write(file, written ?? "");
  inspector.changed();
  expect(await files()).toBe(before);
  await runtime.reload();
  expect(await files()).not.toBe(before);
  project.write(file, old ?? "");
  await runtime.reload();
  await close();
});

test("the repository is checked when a page requests it, and only checked again after a change", async () => {
  const { inspector, get, run, checks, close } = await open(true);
  await get("changes");
  expect(await run()).toEqual(["response", "end", "recording"]);
  expect(checks()).toBe(0);
  await get("overview");
  await get("overview");
  expect(checks()).toBe(1);
  const before = await get("changes");
  inspector.changed();
  expect(await get("changes")).not.toEqual(before);
  await get("overview");
  expect(checks()).toBe(2);
  inspector.failed("why");
  expect(await get("changes")).toMatchObject({ failure: "why" });
  inspector.failed("");
  expect(await get("changes")).not.toHaveProperty("failure");
  await close();
});

test("a recording marks an answer that came from the response cache instead of an execution", async () => {
  const cached = makeProject({
    "models/double/config.pbtxt": `backend: "onnxruntime"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "y" data_type: TYPE_FP32 dims: [ 4 ] }
response_cache { enable: true }
`,
    "models/double/1/model.onnx": doubleModel(),
  });
  onTestFinished(() => cached.remove());
  const caching = await startRuntime({
    repository: cached.path("models"),
    device: "cpu",
    python: "twin",
    responseCache: 2 ** 20,
    notice: () => {},
  });
  onTestFinished(() => caching.close());
  const callOf = async () => {
    const recorder = createRecorder();
    const inputs = new Map([["x", tensorOf("FP32", [1, 4], [1, 2, 3, 4])]]);
    const request = { model: "double", id: "", inputs };
    for await (const { error } of caching.stream(request, undefined, undefined, recorder.trace))
      expect(error).toBeUndefined();
    await recorder.settled();
    const [call] = recorder.recording().calls;
    return [call?.cached, call?.executions.length];
  };
  expect(await callOf()).toEqual([undefined, 1]);
  expect(await callOf()).toEqual([true, 0]);
});
