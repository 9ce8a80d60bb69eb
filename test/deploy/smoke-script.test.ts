import { readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { type DType, type Scalar, tensorOf } from "@tritype/core";
import { expect, onTestFinished, test } from "vitest";
import { judgeLatency } from "../../packages/cli/src/smoke/judge-latency.ts";
import { written } from "../../packages/cli/src/deploy/measure-samples.ts";
import { compareTensors } from "../../packages/cli/src/verify/compare-tensors.ts";
import { latencyRule } from "../../packages/deploy/src/smoke/latency-rule.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { checked, namedServer, proxyOf, serve, warm } from "../cli/served-build.ts";
import { pipelineSource, project } from "../cli/small-project.ts";
import { listen } from "../fixtures/listen.ts";
import { scaleModel } from "../fixtures/models.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { runPython, runSmoke, smokeFolder } from "./smoke-script.ts";

/** A project with a build and a chart, and the folder with the chart's script. */
const deployed = async (
  source = warm(),
): Promise<{ readonly made: ProjectFixture; readonly folder: string }> => {
  const made = project({ "pipeline.ts": source });
  for (const command of ["build", "deploy"])
    expect(await pipeline(made, [command])).toMatchObject({ code: 0 });
  return { made, folder: made.path("deploy/chart/files") };
};

/** An output with "…" in place of times. */
const withoutTimes = (out: string): string => out.replaceAll(/\d+\.\d ms/g, "… ms");

interface Scenario {
  readonly source?: string;
  readonly factor?: number;
  readonly args?: readonly string[];
  /** Changes the build that is served. */
  readonly damage?: (made: ProjectFixture) => void;
  readonly lines: readonly string[];
}
const scenarios: Readonly<Record<string, Scenario>> = {
  "the same build": {
    lines: ["total contract ok", "total warmup ok", "total answers ok", "total latency ok"],
  },
  "another contract": {
    source: warm(pipelineSource.replace("return { sum:", "return { add:")),
    lines: ["total contract FAILED"],
  },
  "other weights, no warmup, and a limit": {
    source: pipelineSource,
    factor: 3,
    args: ["--limit", "p99<0.0001ms"],
    lines: ["total contract ok", "total warmup FAILED", "total answers FAILED", "total latency FAILED"],
  },
  "weights within the tolerance": {
    factor: 3,
    args: ["--tolerance", "4", "--limit", "p50 < 60s"],
    lines: ["total contract ok", "total warmup ok", "total answers ok", "total latency ok"],
  },
  "a member with another name": {
    source: warm(pipelineSource.replaceAll('"double"', '"twice"')),
    lines: ["total contract ok", "total warmup FAILED", "total answers ok", "total latency ok"],
  },
  "no such ensemble": {
    source: warm(pipelineSource.replaceAll("total", "sum_of")),
    lines: ["total contract FAILED"],
  },
  "a model that is not ready": {
    damage: (made) => rmSync(made.path("build/model_repository/double/1/model.onnx")),
    lines: ["total contract FAILED"],
  },
};

test("the chart's script and `pipeline smoke` print the same lines", async () => {
  const { made, folder } = await deployed();
  for (const [name, { source = warm(), factor = 2, args = [], damage, lines }] of Object.entries(scenarios)) {
    const other = project({ "pipeline.ts": source, "models/double.onnx": scaleModel(factor) });
    expect(await pipeline(other, ["build"])).toMatchObject({ code: 0 });
    damage?.(other);
    const url = await serve(other);
    const { code, out } = await pipeline(made, ["smoke", "--url", url, "--repeats", "20", ...args]);
    const ran = await runSmoke(folder, url, ...args);
    const ready = damage === undefined ? "ok" : "FAILED";
    expect(checked(out), name).toEqual([`server ready ${ready}`, ...lines]);
    expect({ ...ran, out: withoutTimes(ran.out) }, name).toEqual({ code, out: withoutTimes(out), err: "" });
    expect(code, name).toBe(out.includes("FAILED") ? 1 : 0);
  }
});

test("the script and `pipeline smoke` compare the build that the server says it runs", async () => {
  const { made, folder } = await deployed();
  const url = await serve(made);
  const { server } = JSON.parse(readFileSync(join(folder, "smoke.json"), "utf8")) as { server: string };
  for (const [name, text] of [
    [server, `ok      ${server}`],
    ["total-0123456789ab", `FAILED  the server runs total-0123456789ab, the build is ${server}`],
  ] as const) {
    const named = await namedServer(url, name);
    const { out } = await pipeline(made, ["smoke", "--url", named, "--repeats", "1"]);
    const ran = await runSmoke(folder, named);
    expect([out, ran.out].map((all) => all.split("\n")[1])).toEqual(
      Array(2).fill(`server  build     ${text}`),
    );
    expect(ran.code).toBe(name === server ? 0 : 1);
  }
});

test("ensembles without samples are named, and a limit fails if nothing is measured", async () => {
  const { made, folder } = await deployed(pipelineSource);
  const url = await serve(made);
  const note = "note `total` has no samples: only its contract can be checked\n";
  const plain = await runSmoke(folder, url);
  expect(plain).toMatchObject({ code: 0, err: note });
  expect(checked(plain.out)).toEqual(["server ready ok", "total contract ok"]);
  const limited = await runSmoke(folder, url, "--limit=p99<10s");
  expect(limited).toMatchObject({
    code: 1,
    out: expect.stringMatching(/total {3}latency {3}FAILED {2}not measured: `total` has no samples\n$/),
  });
});

test("failed and slow requests are reported", async () => {
  const { made, folder } = await deployed();
  const url = await serve(made);
  const failing = await proxyOf(url, 1, (response) =>
    response.writeHead(500, { "content-type": "application/json" }).end('{"error":"out of memory"}'),
  );
  expect(await runSmoke(folder, failing)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/answers {3}ok[^]*latency {3}FAILED {2}a request failed: out of memory\n$/),
  });
  expect(await runSmoke(folder, failing)).toMatchObject({
    code: 1,
    out: expect.stringContaining("answers   FAILED  `sum` differs: no answer: out of memory\n"),
  });
  const slow = await proxyOf(url, 0, (_, pass) => void setTimeout(pass, 1500));
  expect(await runSmoke(folder, slow)).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /latency {3}FAILED {2}median is \d{4}\.\d ms, more than \d+\.\d ms: 10 times the build's \d+\.\d ms plus 100 ms\n$/,
    ),
  });
  const silent = await proxyOf(url, 0, () => {});
  expect(await runSmoke(folder, silent, "--timeout=5")).toEqual({
    code: 2,
    out: expect.stringContaining("total   warmup    ok"),
    err: `error: ${silent}: timed out\n`,
  });
}, 180_000);

test("a server that cannot be reached, and arguments that have no meaning, are errors; --wait waits", async () => {
  const { made, folder } = await deployed();
  const server = createServer();
  const port = await listen(server);
  const closed = once(server, "close");
  server.close();
  await closed;
  const url = `http://127.0.0.1:${port}`;
  expect(await runSmoke(folder, url)).toEqual({
    code: 2,
    out: "",
    err: expect.stringMatching(/^error: http:\/\/127\.0\.0\.1:\d+: .*Connection refused.*\n$/),
  });
  const late = runSmoke(folder, url, "--wait=60");
  const built = await serve(made);
  const proxied = createServer((request, response) => {
    void fetch(`${built}${request.url ?? ""}`).then(async (answer) =>
      response.writeHead(answer.status).end(await answer.text()),
    );
  });
  await once(proxied.listen(port, "127.0.0.1"), "listening");
  onTestFinished(() => proxied.close().closeAllConnections());
  expect((await late).out).toMatch(/^server {2}ready {5}ok {6}all models\n/);
  expect(await runSmoke(folder, "canary:8000")).toMatchObject({
    code: 2,
    err: expect.stringContaining("canary"),
  });
  expect(await runSmoke(folder, url, "--limit=fast")).toMatchObject({
    code: 2,
    err: expect.stringContaining("fast is not a percentile and a time, such as p99<200ms"),
  });
});

/** Runs code that has the script's functions, and the cases as `cases`. Returns the lines that it prints. */
const inScript = async (code: string, cases: unknown): Promise<readonly string[]> => {
  const folder = smokeFolder("{}");
  const imports = `import json, sys; sys.path.insert(0, ${JSON.stringify(folder)}); import smoke`;
  const ran = await runPython(
    ["-c", `${imports}\ncases = json.load(sys.stdin, object_hook=smoke.read_tensor)\n${code}`],
    JSON.stringify(cases),
  );
  expect(ran.err).toBe("");
  return ran.out.trimEnd().split("\n");
};

const texts: readonly (readonly [string, string])[] = [
  ["a", "a"],
  ["a", "b"],
  ["é".repeat(50), "é"],
  ['{"score":0.6459357738}', '{"score":0.6459357142}'],
  ['{"score":1}', '{"score":0.9999}'],
  ['{"score":1.0}', '{"score":1}'],
  ['{"score":0.6}', '{"score":0.7}'],
  ['{"label":"good","score":0.5}', '{"label":"bad","score":0.5}'],
  ['{"id":123456789}', '{"id":123456790}'],
  ['{"id":9007199254740993}', '{"id":9007199254740992}'],
  ['{"a":1,"b":2}', '{"b":2,"a":1}'],
  ['{"a":true}', '{"a":1}'],
  ["[0.5]", "[0.5,0.5]"],
  [" [0.5]", "[0.5000001]"],
  ["[NaN]", "[NaN ]"],
  ["0.5", "0.50000001"],
  ["[0.5", "[0.50000001"],
];
const numbers: readonly (readonly [number, number])[] = [
  [1, 1],
  [1, 1.0005],
  [1, 1.01],
  [0, 0.0009],
  [1000, 1001.5],
  [Number.NaN, Number.NaN],
  [Number.NaN, 1],
  [Infinity, Infinity],
  [Infinity, 1],
  [Infinity, -Infinity],
];
const integers: readonly (readonly [bigint, bigint])[] = [
  [5n, 5n],
  [5n, 6n],
  [100n, 102n],
];
const large: readonly (readonly [bigint, bigint])[] = [
  [2n ** 60n + 1n, 2n ** 60n],
  [2n ** 63n - 1n, 0n],
];
const pairs: readonly (readonly [DType, readonly (readonly [Scalar, Scalar])[]])[] = [
  ["BYTES", texts],
  [
    "BOOL",
    [
      [true, true],
      [true, false],
    ],
  ],
  ...(["FP16", "BF16", "FP32", "FP64"] as const).map((dtype) => [dtype, numbers] as const),
  ...(["UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32"] as const).map(
    (dtype) => [dtype, integers] as const,
  ),
  ...(["UINT64", "INT64"] as const).map((dtype) => [dtype, [...integers, ...large]] as const),
];

test("the script compares tensors as `pipeline smoke` does", async () => {
  const cases = pairs.flatMap(([dtype, list]) =>
    list.flatMap(([got, wanted]) =>
      [0, 1e-3, 1].map((tolerance) => ({
        got: tensorOf(dtype, [2], [wanted, got]),
        wanted: tensorOf(dtype, [2], [wanted, wanted]),
        tolerance,
      })),
    ),
  );
  const one = tensorOf("FP32", [1], [1]);
  cases.push(
    { got: tensorOf("FP32", [1, 1], [1]), wanted: one, tolerance: 1 },
    { got: tensorOf("FP64", [1], [1]), wanted: one, tolerance: 1 },
  );
  const expected = cases.map(({ got, wanted, tolerance }) => {
    const { ok, problem, maxAbsolute } = compareTensors("y", got, wanted, tolerance);
    const size = `max abs ${maxAbsolute.toExponential(1)}`;
    return ok ? `ok ${size}` : (problem ?? size);
  });
  const found = await inScript(
    `for case in cases:
    largest, problem = smoke.compare(case["got"]["y"], case["wanted"]["y"], case["tolerance"])
    print(problem or f"ok max abs {smoke.exponential(largest)}")`,
    cases.map(({ got, wanted, tolerance }) => ({
      got: written(new Map([["y", got]])),
      wanted: written(new Map([["y", wanted]])),
      tolerance,
    })),
  );
  const shown = (lines: readonly string[]): readonly string[] =>
    cases.map(
      ({ got, wanted, tolerance }, at) =>
        `${got.dtype} ${String(got.data)} ${String(wanted.data)} ${tolerance}: ${lines[at]}`,
    );
  expect(shown(found)).toEqual(shown(expected));
});

test("an answer with fewer elements than its shape has differs", async () => {
  const tensors = ["", "AACAPwAAgD8="].map((data) => ({ datatype: "FP32", shape: [2], data }));
  expect(await inScript("print(smoke.compare(*cases, 1)[1])", tensors)).toEqual(["0 elements, not 2"]);
});

test("the script judges latencies as `pipeline smoke` does", async () => {
  const limits = [
    undefined,
    ...[50, 90, 95, 99].map((share) => ({ share, milliseconds: 150 })),
    { share: 99, milliseconds: 1e9 },
  ];
  const cases = [[1], [101, 99], [99, 101, 130.12, 1000], Array.from({ length: 200 }, (_, at) => at)].flatMap(
    (times) => [0, 0.12, 3.04, 90].flatMap((build) => limits.map((limit) => ({ times, build, limit }))),
  );
  const expected = cases.map(({ times, build, limit }) => {
    const wanted = limit && { percentile: limit.share / 100, limitMs: limit.milliseconds };
    const { ok, text } = judgeLatency(
      times.toSorted((a, b) => a - b),
      build,
      wanted,
    );
    return `${ok} ${text}`;
  });
  const found = await inScript(
    `for case in cases["list"]:
    limit = case.get("limit")
    ok, text = smoke.judge_latency(case["times"], case["build"], cases["rule"], limit and (limit["share"], limit["milliseconds"]))
    print(str(ok).lower(), text)`,
    { list: cases, rule: latencyRule },
  );
  expect(found).toEqual(expected);
});
