import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type RequestTime, timeIn } from "@tritype/load-test";
import { serveGrpc } from "@tritype/server";
import { expect, onTestFinished, test } from "vitest";
import { adder, memoryRuntime } from "../../packages/server/src/memory-runtime.fixture.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { freePort } from "./free-port.ts";
import { pipeline, startPipeline } from "./run-pipeline.ts";
import { serversOf } from "./server-processes.ts";
import { pipelineSource, project } from "./small-project.ts";

interface Result {
  readonly stopped?: string;
  readonly requests: { readonly source: string; readonly count: number; readonly rows: number };
  readonly models: Readonly<Record<string, string>>;
  readonly cases: readonly {
    readonly protocol: string;
    readonly load: { readonly kind: string };
    readonly seconds: number;
    readonly requestsPerSecond: number;
    readonly latency?: { readonly p50: number; readonly count: number };
    readonly failures: readonly { readonly status: string; readonly count: number }[];
    readonly models?: readonly {
      readonly model: string;
      readonly inferences: number;
      readonly requests: number;
    }[];
  }[];
}

const warmedSource = pipelineSource.replace(
  "maxBatchSize: 8,",
  'maxBatchSize: 8,\n  warmup: [{ inputs: { x: [[1, 2, 3, 4]] } }, { name: "two", inputs: { x: [[1, 2, 3, 4], [5, 6, 7, 8]] } }],',
);
const short = ["--seconds", "0.4", "--warm", "0.1"];

test("bench starts a server, measures it, writes the results and compares them", async () => {
  const files = project({ "pipeline.ts": warmedSource });
  const asked = ["--clients", "2", "--rate", "60/s", "--json", "--html", "r.html"];
  const ended = await pipeline(files, ["bench", ...short, ...asked, "--perf-analyzer-input", "p.json"]);
  expect(ended).toMatchObject({ code: 0 });
  const result = JSON.parse(ended.out) as Result;
  expect(result.cases.map(({ protocol, load }) => `${protocol} ${load.kind}`)).toEqual([
    "http closed",
    "grpc closed",
    "http open",
    "grpc open",
  ]);
  for (const { latency, failures, seconds } of result.cases) {
    expect(latency?.count).toBeGreaterThan(3);
    expect(failures).toEqual([]);
    expect(seconds).toBe(0.4);
  }
  expect(result.requests).toMatchObject({ source: "warmup samples of `total`", count: 2, rows: 3 });
  expect(Object.keys(result.models)).toContain("double");
  const double = result.cases[0]?.models?.find(({ model }) => model === "double");
  expect(double?.requests).toBeGreaterThan(3);
  expect(double?.inferences).toBeGreaterThan(double?.requests ?? 0);

  expect(ended.err).toMatch(/^HTTP, 2 clients: [\d.,]+ requests\/s, p50 [\d.]+ ms/m);
  expect(ended.err).not.toContain("\r");

  const html = readFileSync(files.path("r.html"), "utf8");
  expect(html).toMatch(/^<!doctype html>/);
  expect(html.match(/<svg /g)?.length).toBeGreaterThan(5);
  expect(html).not.toMatch(/<script|<link|src=|@import|url\((?!#)/);
  expect(html).toContain("HTTP, 2 clients");

  const { data } = JSON.parse(readFileSync(files.path("p.json"), "utf8")) as {
    readonly data: readonly { readonly x: unknown }[];
  };
  expect(data.length).toBe(3);
  expect(data[0]?.x).toEqual({
    content: { b64: Buffer.from(Float32Array.of(1, 2, 3, 4).buffer).toString("base64") },
    shape: [4],
  });

  files.write("a.json", ended.out);
  const changed = JSON.parse(ended.out) as { machine: { cores: number }; formatVersion: number };
  changed.machine.cores = 96;
  files.write("b.json", JSON.stringify(changed));
  const same = await pipeline(files, ["bench", "--compare", "a.json", "a.json"]);
  expect(same).toMatchObject({ code: 0 });
  expect(same.out).toMatch(/^HTTP, 2 clients +1\.00× +1\.00×/m);
  expect(same.out).toContain("are the same");
  const other = await pipeline(files, ["bench", "--compare", "a.json", "b.json", "--html", "c.html"]);
  expect(other.out).toMatch(/^changed cores: \d+ → 96$/m);
  expect(readFileSync(files.path("c.html"), "utf8")).toContain("so the ratios mean little");
  files.write("b.json", JSON.stringify({ ...changed, formatVersion: 2 }));
  const newer = await pipeline(files, ["bench", "--compare", "a.json", "b.json"]);
  expect(newer.err).toContain("written by a newer tritype");
  files.write("b.json", "{}");
  const wrong = await pipeline(files, ["bench", "--compare", "a.json", "b.json"]);
  expect(wrong.err).toContain("b.json is not a result of");
  expect([newer.code, wrong.code]).toEqual([2, 2]);
}, 120_000);

test("--by-step shows how a request's time is divided among its steps, in the terminal, in JSON and on the page", async () => {
  const files = project({ "pipeline.ts": warmedSource });
  const asked = ["bench", ...short, "--clients", "1,4", "--protocol", "http"];
  const ended = await pipeline(files, [...asked, "--by-step", "--html", "r.html"]);
  expect(ended).toMatchObject({ code: 0 });
  const rows = (name: string): readonly string[] =>
    ended.out.split("\n").filter((line) => line.startsWith(`${name} `));
  expect(rows("HTTP, 4 clients").at(-1)).toMatch(
    /^HTTP, 4 clients +queue +input +compute +output +time +share +average batch +batches/,
  );
  for (const row of rows("double").slice(-2))
    expect(row).toMatch(/^double +([\d.]+ ms +){5}\d+ % +[\d.]+ +\d+×\d+/);
  for (const name of ["between the steps", "outside the server", "of which compute"]) {
    expect(rows(name)).toHaveLength(2);
    expect(rows(name)[0]).toMatch(/ [\d.]+ ms +\d+ %/);
  }
  expect(readFileSync(files.path("r.html"), "utf8")).toContain("Where the time goes");
  const { cases } = JSON.parse((await pipeline(files, [...asked, "--json"])).out) as {
    readonly cases: readonly { readonly time: RequestTime }[];
  };
  for (const { time } of cases) {
    const inSteps = time.steps.reduce((sum, step) => sum + timeIn(step), 0);
    expect(inSteps + time.betweenUs + time.outsideUs).toBeCloseTo(time.requestUs, 0);
  }
}, 60_000);

test("requests are read from a file, and an invalid line is reported", async () => {
  const files = project({ "r.jsonl": '{"x": [1, 2, 3, 4]}\n\n{"x": [[1, 2, 3, 4], [0, 0, 0, 0]]}\n' });
  const ended = await pipeline(files, [
    "bench",
    ...short,
    "--clients",
    "1",
    "--json",
    "--requests",
    "r.jsonl",
  ]);
  expect((JSON.parse(ended.out) as Result).requests).toMatchObject({ source: "r.jsonl", count: 2, rows: 3 });
  files.write("r.jsonl", '{"x": [1, 2, 3, 4]}\n{"y": 1}\n');
  const wrong = await pipeline(files, ["bench", ...short, "--requests", "r.jsonl"]);
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(/r\.jsonl:2: /);
}, 60_000);

test.each([
  ["SIGINT", "Ctrl-C", 0],
  ["SIGTERM", "SIGTERM", 143],
] as const)(
  "%s ends bench with the measurements so far, and says so",
  async (signal, how, code) => {
    const files = project();
    const running = startPipeline(files, [
      "bench",
      "--seconds",
      "60",
      "--warm",
      "0",
      "--rate",
      "50/s",
      "--json",
    ]);
    await running.says(/loading/);
    await sleep(1000);
    process.kill(serverOf(running.child.pid ?? 0), signal);
    running.child.kill(signal);
    const ended = await running.ended;
    expect(ended).toMatchObject({ code, signal: null });
    expect(ended.err).toContain(`stopped ${how}; the results so far follow\n`);
    const { stopped, cases } = JSON.parse(ended.out) as Result;
    expect(stopped).toBe(how);
    expect(cases.length).toBe(1);
    expect(cases[0]?.requestsPerSecond).toBeGreaterThan(10);
  },
  60_000,
);

test("if the server is killed, bench ends with the measurements so far and an exit code", async () => {
  const files = project();
  const running = startPipeline(files, [
    "bench",
    "--seconds",
    "60",
    "--warm",
    "0",
    "--rate",
    "50/s",
    "--json",
  ]);
  await running.says(/loading/);
  await sleep(1000);
  process.kill(serverOf(running.child.pid ?? 0), "SIGKILL");
  const ended = await running.ended;
  expect(ended.code).toBe(1);
  const { stopped, cases } = JSON.parse(ended.out) as Result;
  expect(stopped).toBe("the server ended (signal SIGKILL)");
  expect(cases[0]?.latency?.count).toBeGreaterThan(10);
}, 60_000);

test("models that print while the server ends do not disturb it, and their finalize finishes", async () => {
  const files = project({
    "pipeline.ts": `import { defineEnsemble, fp32, python } from "tritype";

const same = python({ name: "same", file: "same.py", inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } });
export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: same({ x }).y }),
});
`,
    "same.py": `import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        inputs = [pb_utils.get_input_tensor_by_name(request, "x") for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", x.as_numpy())]) for x in inputs]

    def finalize(self):
        print("goodbye", flush=True)
        time.sleep(0.5)
        open("finalized", "w").close()
`,
  });
  const { ended } = startPipeline(files, ["bench", ...short, "--clients", "1", "--protocol", "http"], {
    env: { TRITYPE_PYTHON: await pythonWithNumpy() },
  });
  const { code, err } = await ended;
  expect(code).toBe(0);
  expect(err).not.toMatch(/ERR_IPC|node:/);
  expect(existsSync(files.path("finalized"))).toBe(true);
}, 60_000);

/** The server process of a running `pipeline bench`. */
const serverOf = (parent: number): number => {
  const [server] = serversOf(parent);
  if (server === undefined) throw new Error("there is no server");
  return server;
};

test("a server that only serves gRPC is measured", async () => {
  const server = await serveGrpc(memoryRuntime([adder]), { port: 0 });
  onTestFinished(() => server.close());
  const ended = await pipeline({ root: process.cwd() }, [
    "bench",
    "add",
    "--grpc-url",
    server.address,
    "--clients",
    "2",
    "--json",
    ...short,
  ]);
  expect(ended).toMatchObject({ code: 0 });
  const { cases, requests } = JSON.parse(ended.out) as Result;
  expect(cases.map(({ protocol }) => protocol)).toEqual(["grpc"]);
  expect(requests.source).toBe("generated from the types");
}, 60_000);

test("a missing server and useless options are reported", async () => {
  const port = await freePort();
  const at = { root: process.cwd() };
  const ask = (...args: readonly string[]) => pipeline(at, ["bench", ...args]);
  const gone = await ask("add", "--url", `127.0.0.1:${port}`);
  expect(gone).toMatchObject({ code: 2, err: expect.stringContaining("no server answers at") });
  for (const [args, words] of [
    [["--clients", "0"], "--clients has 0"],
    [["--rate", "fast"], "--rate has fast"],
    [["--protocol", "smtp"], "--protocol is smtp"],
    [["--url", "x:1"], "which model should be tested?"],
    [
      ["add", "--url", "x:1", "--html", "none/a.html"],
      "cannot write to none/a.html: there is no such folder",
    ],
    [["a", "b"], "does not accept `b`"],
    [["--compare", "a.json"], "--compare takes two results"],
  ] as const)
    expect(await ask(...args)).toMatchObject({ code: 2, err: expect.stringContaining(words) });
}, 60_000);
