import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { grpcClient, type InferenceClient } from "@tritype/client";
import { checkRepository } from "@tritype/check";
import { PipelineError, tensorOf, valuesOf } from "@tritype/core";
import { writeBuild } from "@tritype/project";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { createRepositoryHost } from "@tritype/runtime/host";
import { defaultRelease } from "@tritype/triton";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "../fixtures/listen.ts";
import { doubleModel } from "../fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { installJudge, installTime, killTriton } from "./judge.ts";

/** `TRITYPE_LOAD=long`: 10,000. */
const calls = process.env["TRITYPE_LOAD"] === "long" ? 10_000 : 2000;

/** A pipeline whose flow `ask` makes the calls listed in its input text. */
const pipeline = `import { bytes, defineEnsemble, flow, fp32, onnx, python, step } from "tritype";

const io = { inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } };
const double = onnx({ name: "double", file: "double.onnx", dynamicBatching: {}, ...io });
const plus = step({ name: "plus", ...io, run: ({ x }) => ({ y: x.map((value) => value + 1) }) });
const flat = step({ name: "flat", inputs: io.inputs, outputs: { sum: fp32("batch") }, run: ({ x }) => ({ sum: x.reduce((a, b) => a + b, 0) }) });
const odd = python({ name: "odd", file: "copy.py", ...io });
const broken = python({ name: "broken", file: "copy.py", ...io });
const late = python({ name: "late", file: "late.py", ...io });

const inner = flow({
  name: "inner",
  ...io,
  uses: { double },
  run: ({ x }, { double }) => (x[0] === 9 ? new Promise<never>(() => {}) : double({ x })),
});
const around = defineEnsemble({ name: "around", maxBatchSize: 8, inputs: io.inputs, run: ({ x }) => inner({ x }) });
const again = flow({ name: "again", ...io, uses: { next: around }, run: ({ x }, { next }) => next({ x }) });
export const circle = defineEnsemble({ name: "circle", maxBatchSize: 8, inputs: io.inputs, run: ({ x }) => again({ x }) });

export const ask = flow({
  name: "ask",
  maxBatchSize: 8,
  timeLimit: "2s",
  inputs: { what: bytes("batch", 1), x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  uses: { double, plus, flat, odd, broken, late, inner, around, circle },
  async run({ what, x }, models) {
    if (what === "never") await new Promise(() => {});
    if (what === "fetch") await fetch(process.env["SILENT_URL"] ?? "");
    if (what === "flat") return { y: [(await models.flat({ x })).sum, 0, 0, 0] };
    const called = models[what.replace("code of ", "") as "double"];
    try {
      return await called({ x });
    } catch (error) {
      if (!what.startsWith("code of ")) throw error;
      const { code, model } = error as { readonly code: string; readonly model: string };
      throw new Error(\`\${code} \${model}\`);
    }
  },
});

export const many = flow({
  name: "many",
  maxBatchSize: 8,
  timeLimit: "300s",
  ...io,
  uses: { double },
  async run({ x }, { double }) {
    const before = process.memoryUsage().rss;
    const made = await Promise.all(Array.from({ length: ${calls} }, (_, n) => double({ x: [n, 0, 0, 0] })));
    const right = made.filter(({ y }, n) => y[0] === 2 * n).length;
    return { y: [right, (process.memoryUsage().rss - before) / 1e6, 0, 0] };
  },
});
`;

const copy = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(pb_utils.get_input_tensor_by_name(request, "x").as_numpy()) for request in requests]

    def answer(self, x):
        return pb_utils.InferenceResponse([pb_utils.Tensor("y", x)])
`;

/** The position of a text in the pipeline, in the form that errors use. */
const placeOf = (text: string): string => {
  const [before = "", ...after] = pipeline.split(text);
  if (after.length !== 1) throw new Error(`not once in the pipeline: ${text}`);
  const lines = before.split("\n");
  return `(pipeline.ts:${lines.length}:${(lines.at(-1) ?? "").length + 1})`;
};
const calledAt = placeOf("called({ x })");

/** A model after a later edit. */
const edited = copy.replace(
  "        return pb_utils.InferenceResponse([",
  `        how = int(x[0, 0])
        if how == 1:
            return pb_utils.InferenceResponse([pb_utils.Tensor("y", x.astype("int64"))])
        if how == 2:
            return pb_utils.InferenceResponse([pb_utils.Tensor("y", x[:, :3])])
        if how == 3:
            return pb_utils.InferenceResponse([])
        if how == 4:
            raise RuntimeError("out of memory")
        if how == 5:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("no 5"))
        if how == 6:
            import time
            time.sleep(2.5)
        return pb_utils.InferenceResponse([`,
);

const slowToLoad = copy.replace(
  "    def execute",
  `    def initialize(self, args):
        import time
        time.sleep(1)

    def execute`,
);

interface Served {
  readonly server: InferenceClient | Runtime;
  readonly load: (model: string) => Promise<unknown>;
  readonly unload: (model: string) => Promise<unknown>;
}

let project: ProjectFixture;
let repository: string;
let silent: Server;
let triton: TritonServer;
const servers: Record<string, Served> = {};
const stops: (() => unknown)[] = [];

beforeAll(async () => {
  silent = createServer(() => {});
  process.env["SILENT_URL"] = `http://127.0.0.1:${await listen(silent)}`;
  project = makeProject({
    "pipeline.ts": pipeline,
    "double.onnx": doubleModel(),
    "copy.py": copy,
    "late.py": slowToLoad,
  });
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  repository = join(project.path("build"), "model_repository");
  writeFileSync(join(repository, "odd/1/model.py"), edited);
  writeFileSync(join(repository, "broken/1/model.py"), "raise RuntimeError('no licence')\n");
  // `again` calls `circle`, which calls `again`.
  const again = join(repository, "again/1/function.json");
  writeFileSync(again, readFileSync(again, "utf8").replace('"model": "around"', '"model": "circle"'));

  const installation = await installJudge();
  const starting = serveTriton(installation, {
    repository,
    extraArguments: ["--model-control-mode=explicit", "--load-model=*"],
  });
  const runtimes = (["twin", "always"] as const).map(async (python) => {
    const runtime = await startRuntime({
      repository,
      device: "cpu",
      python,
      control: { kind: "explicit", load: ["*"] },
      notice: () => {},
      tellPython: () => {},
      pythonCommand: installation.python,
    });
    stops.push(() => runtime.close());
    servers[python === "twin" ? "local" : "python"] = {
      server: runtime,
      load: (model) => runtime.load(model),
      unload: (model) => runtime.unload(model),
    };
  });
  triton = await starting;
  const client = grpcClient(triton.grpcAddress);
  stops.push(
    () => killTriton(triton),
    () => client.close(),
  );
  const control = (order: string) => (model: string) =>
    fetch(`${triton.httpUrl}/v2/repository/models/${model}/${order}`, { method: "POST" });
  servers["triton"] = { server: client, load: control("load"), unload: control("unload") };
  await Promise.all(runtimes);
}, installTime);
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
  silent.closeAllConnections();
  silent.close();
  project.remove();
}, 60_000);

/** The values of y, or the error message. */
const ask = async (
  { server }: Served,
  model: string,
  x: number,
  what?: string,
  parameters: Readonly<Record<string, bigint>> = {},
): Promise<unknown> => {
  const text = what === undefined ? [] : [["what", tensorOf("BYTES", [1, 1], [what])] as const];
  const inputs = new Map([["x", tensorOf("FP32", [1, 4], [x, 0, 0, 0])], ...text]);
  try {
    const answer = await server.infer({ model, id: "", inputs, parameters });
    const outputs = "outputs" in answer ? answer.outputs : answer;
    return [...outputs.values()].flatMap((tensor) => valuesOf(tensor));
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return error.message;
  }
};

/** Sends the same request to every server, all at the same time. */
const askAll = async (...given: Given): Promise<Readonly<Record<string, unknown>>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(servers).map(async ([name, served]) => [name, await ask(served, ...given)] as const),
    ),
  );
type Given = Parameters<typeof ask> extends [Served, ...infer G] ? G : never;
const everywhere = (expected: unknown) => ({ triton: expected, local: expected, python: expected });
const containing = (text: string) => everywhere(expect.stringContaining(text));
const notReady = (model: string) =>
  `ask: row 0: CallError: ${model}: Model ${model} - Error when running inference: Failed for execute the inference request. Model '${model}' is not ready. ${calledAt}`;

test.each([
  ["double", [6, 0, 0, 0]],
  ["plus", [4, 1, 1, 1]],
  ["flat", [3, 0, 0, 0]],
  ["inner", [6, 0, 0, 0]],
  ["around", [6, 0, 0, 0]],
])("a flow calls a model, a step, a flow, and an ensemble of a flow alike: %s", async (what, expected) => {
  expect(await askAll("ask", 3, what)).toEqual(everywhere(expected));
});

test.each([
  [1, "odd: output y is INT64, wanted FP32", "call/answer"],
  [2, "output y of odd has shape [1, 3], wanted [1, 4]", "call/answer"],
  [3, "output y of odd is missing", "call/answer"],
  [5, "odd: no 5", "call/failed"],
])("an answer that breaks the callee's contract, or an error, fails the call: %d", async (x, text, code) => {
  expect(await askAll("ask", x, "odd")).toEqual(everywhere(`ask: row 0: CallError: ${text} ${calledAt}`));
  expect(await askAll("ask", x, "code of odd")).toEqual(
    everywhere(`ask: row 0: Error: ${code} odd ${placeOf("new Error(")}`),
  );
});

test("a callee that raises is an error of the call", async () => {
  expect(await askAll("ask", 7, "odd")).toEqual(everywhere([7, 0, 0, 0]));
  const answers = await askAll("ask", 4, "odd");
  expect(answers).toEqual(
    containing("ask: row 0: CallError: odd: Failed to process the request(s) for model 'odd_0"),
  );
  expect(answers).toEqual(containing("RuntimeError: out of memory"));
  expect(answers).toEqual(containing(calledAt));
});

test("a flow reacts to a callee that was not loaded, is unloaded, is loading, or is available again", async () => {
  expect(await askAll("ask", 3, "broken")).toEqual(everywhere(notReady("broken")));
  await Promise.all(Object.values(servers).map(({ unload }) => unload("late")));
  await expect.poll(() => askAll("ask", 3, "late")).toEqual(everywhere(notReady("late")));
  const loading = Object.values(servers).map(({ load }) => load("late"));
  await sleep(300);
  expect(await askAll("ask", 3, "late")).toEqual(everywhere(notReady("late")));
  await Promise.all(loading);
  expect(await askAll("ask", 3, "late")).toEqual(everywhere([3, 0, 0, 0]));
});

test("the error for a promise that never settles has the position of `run`, because no line throws", async () => {
  expect(await askAll("ask", 3, "never")).toEqual(
    everywhere(`ask: the request took longer than 2 s ${placeOf("run({ what, x }, models)")}`),
  );
});

test("a client's timeout ends a function and its calls", async () => {
  const began = performance.now();
  const timeout = { timeout: 400_000n };
  expect(await askAll("ask", 3, "never", timeout)).toEqual(everywhere("ask: the request ran out of time"));
  expect(await askAll("ask", 6, "odd", timeout)).toEqual(
    everywhere(`ask: row 0: CallError: odd: the request ran out of time ${calledAt}`),
  );
  expect(await askAll("ask", 3, "double", { timeout: 60_000_000n })).toEqual(everywhere([6, 0, 0, 0]));
  expect(performance.now() - began).toBeLessThan(6000);
});

test("a call that takes too long throws at its line, and frees its callee", async () => {
  const began = performance.now();
  expect(await askAll("ask", 6, "odd")).toEqual(
    everywhere(`ask: row 0: CallError: odd: the request took longer than 2 s ${calledAt}`),
  );
  // The inner flow gets the remaining time; its own limit is 10 s.
  expect(await askAll("ask", 9, "around")).toEqual(containing("ask: row 0: CallError: around: "));
  expect(await askAll("inner", 3)).toEqual(everywhere([6, 0, 0, 0]));
  expect(performance.now() - began).toBeLessThan(9000);
});

// Node loads its `fetch` on the first call, which can take seconds on a busy machine.
test("a fetch ends when the request's time is up", { retry: 2 }, async () => {
  const closed: number[] = [];
  const began = performance.now();
  silent.on("connection", (socket) => socket.on("close", () => closed.push(performance.now() - began)));
  expect(await askAll("ask", 3, "fetch")).toEqual(
    everywhere(`ask: row 0: Error: fetch: the request took longer than 2 s ${placeOf("fetch(process")}`),
  );
  await expect.poll(() => closed.length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...closed)).toBeLessThan(8000);
});

test("flows that call each other endlessly fail with an error, and leave nothing running", async () => {
  const { diagnostics } = checkRepository(createRepositoryHost(repository), { release: defaultRelease });
  expect(diagnostics.filter(({ code }) => code === "python/circular-calls")).toMatchObject([
    {
      message: "`again` calls itself: again → circle → again",
      labels: [{ span: { file: "again/1/function.json" } }],
    },
  ]);
  const { triton: real, ...local } = await askAll("ask", 3, "circle");
  // Triton does not detect the cycle.
  expect(real).toContain("ask: row 0: CallError: circle: ");
  for (const text of Object.values(local))
    expect(text).toContain("every instance of model 'again' is waiting for this request");
  const executed = async () =>
    /nv_inference_exec_count\{model="again".*\} (\d+)/.exec(
      await (await fetch(triton.metricsUrl)).text(),
    )?.[1];
  await sleep(500);
  const count = await executed();
  await sleep(1000);
  expect(await executed()).toBe(count);
});

test(`${calls} simultaneous calls by one request need little memory`, async () => {
  const answers = await askAll("many", 0);
  for (const [right, megabytes] of Object.values(answers) as readonly (readonly number[])[]) {
    expect(right).toBe(calls);
    expect(megabytes).toBeLessThan(20 + calls / 125);
  }
}, 300_000);
