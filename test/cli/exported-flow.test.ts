import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Manifest } from "@tritype/manifest";
import type { Client, HttpOptions } from "tritype/client";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { doubleModel } from "../fixtures/models.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { minusBatchMean } from "./row-models.ts";
import { pipeline } from "./run-pipeline.ts";
import { serveHere } from "./served-dev.ts";
import { project } from "./small-project.ts";

/** A flow that calls an ONNX model for each number above 0, or an ensemble around the same model if there are none. */
const source = `import { defineEnsemble, flow, fp32, int32, onnx } from "tritype";

const vector = fp32("batch", 4);
const double = onnx({ name: "double", file: "models/double.onnx", inputs: { x: vector }, outputs: { y: vector } });
const total = defineEnsemble({
  name: "total",
  maxBatchSize: 2,
  inputs: { x: vector },
  run: ({ x }) => ({ sum: double({ x }).y.sum(-1, { keepDims: true }) }),
});

export const walk = flow({
  name: "walk",
  maxBatchSize: 8,
  inputs: { x: vector },
  outputs: { sum: fp32("batch", 1), calls: int32("batch", 1) },
  uses: { double, total },
  async run({ x }, { double, total }) {
    const above = [...x].filter((value) => value > 0);
    if (above.length === 0) return { ...(await total({ x })), calls: 1 };
    const doubled = await Promise.all(above.map((value) => double({ x: [value, 0, 0, 0] })));
    return { sum: doubled.reduce((sum, { y }) => sum + (y[0] ?? 0), 0), calls: doubled.length };
  },
  warmup: [
    { name: "numbers", inputs: { x: [[1, 2, 3, 4]] }, batchSize: 4 },
    { name: "zeros", inputs: { x: [[0, 0, 0, 0]] }, batchSize: 4 },
  ],
});
`;
const files = { "pipeline.ts": source, "models/double.onnx": doubleModel() };
const manifestOf = (made: ProjectFixture): Manifest =>
  JSON.parse(readFileSync(made.path("build/manifest.json"), "utf8")) as Manifest;

test("a project with only one flow can be built, called by clients, and served in every way", async () => {
  const made = project(files);
  const server = await serveHere(made, ["--device", "cpu", "--no-watch"]);
  const { ensembles, models, loadOrder, warmup } = manifestOf(made);
  expect(ensembles.map(({ name }) => name)).toEqual(["total", "walk"]);
  expect(models.map(({ name, kind }) => [name, kind])).toEqual([
    ["double", "onnx"],
    ["total", "ensemble"],
    ["total_sum", "tensor-math"],
    ["walk", "flow"],
  ]);
  expect(loadOrder.at(-1)).toBe("walk");
  expect(warmup?.requests.map(({ model, ensemble, sample }) => `${model} ${ensemble} ${sample}`)).toEqual([
    "double walk numbers",
    "double walk zeros",
    "total_sum walk zeros",
  ]);
  // The largest batch size is 2 for `total` and 8 for the flow.
  const warmed = (model: string): readonly (string | undefined)[] =>
    [
      ...readFileSync(made.path(`build/model_repository/${model}/config.pbtxt`), "utf8").matchAll(
        /batch_size: (\d)$/gm,
      ),
    ]
      .slice(1)
      .map(([, size]) => size);
  expect(warmed("double")).toEqual(["4", "4"]);
  expect(warmed("total_sum")).toEqual(["2"]);

  const { walkClient } = (await import(pathToFileURL(made.path("build/client/walk.js")).href)) as {
    readonly walkClient: (
      options: HttpOptions,
    ) => Client<{ x: number[][] }, Record<"calls" | "sum", { data: unknown }>>;
  };
  const { sum, calls } = await walkClient({ url: server.url }).infer({
    x: [
      [1, 2, 3, 4],
      [0, 0, 0, 0],
    ],
  });
  expect([sum.data, calls.data]).toEqual([Float32Array.of(20, 0), Int32Array.of(4, 1)]);
  const openApi = JSON.parse(readFileSync(made.path("build/client/openapi.json"), "utf8")) as {
    readonly paths: object;
  };
  expect(openApi.paths).toHaveProperty("/v2/models/walk/infer");

  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  const [, grpc = ""] = /gRPC at (\S+),/.exec(server.err()) ?? [];
  const there = ["--triton-url", server.url, "--triton-grpc", grpc];
  const verified = await pipeline(made, ["verify", "walk", ...there, "--json"], { env });
  expect(verified).toMatchObject({ code: 0 });
  const findings = JSON.parse(verified.out) as readonly { readonly model: string; readonly check: string }[];
  const found = findings.map(({ model, check }) => `${model}: ${check}`);
  expect(found).toEqual(
    expect.arrayContaining(["walk: local python", "walk: row by row", "double: row by row"]),
  );

  const benched = await pipeline(made, [
    "bench",
    "--seconds",
    "0.2",
    "--warm",
    "0.1",
    "--rate",
    "50/s",
    "--json",
  ]);
  expect(benched).toMatchObject({ code: 0 });
  expect(JSON.parse(benched.out)).toMatchObject({
    requests: { source: "warmup samples of `walk`", count: 2 },
    cases: [{ failures: [] }, { failures: [] }],
  });
  expect(await pipeline(made, ["drift", ".", server.url])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^walk: 2 rows/m) as string,
  });
  expect((await pipeline(made, ["run", "--input", "x=[1,2,0,0]"])).out).toBe(
    "sum FP32[1, 1]\n  6\ncalls INT32[1, 1]\n  2\n",
  );
  expect((await pipeline(made, ["build"])).err).toContain("nothing changed");
}, 120_000);

test("verify combines a flow's calls into batches, and names the callee whose rows depend on each other", async () => {
  const made = project({ ...files, "models/double.onnx": minusBatchMean() });
  const { code, out } = await pipeline(made, ["verify", "--no-triton", "--no-python"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^double +y +row by row .* DIFFERS/m);
});

/** A flow that calls `large` and, if that fails, `small`; both refuse texts with certain words. */
const fallback = (warmup: string): string => `import { bytes, flow, step } from "tritype";

const text = bytes("batch", 1);
const answer = { inputs: { text }, outputs: { answer: text } };
const large = step({ name: "large", ...answer, run: ({ text }) => {
  if (text.includes("hard")) throw new RangeError("too hard");
  return { answer: "large" };
} });
const small = step({ name: "small", ...answer, run: ({ text }) => {
  if (text.includes("odd")) throw new RangeError("too odd");
  return { answer: "small" };
} });
export const ask = flow({
  name: "ask",
  maxBatchSize: 2,
  ...answer,
  uses: { large, small },
  run: ({ text }, { large, small }) => large({ text }).catch(() => small({ text })),
  warmup: [${warmup}],
});
export const askAgain = flow({
  name: "ask_again",
  maxBatchSize: 2,
  ...answer,
  uses: { ask },
  run: ({ text }, { ask }) => ask({ text: \`\${text} again\` }),
  warmup: [${warmup}],
});
`;

test("a failed call records no warmup, even within nested flows, and a flow that fails names the callee", async () => {
  const made = project({ "pipeline.ts": fallback('{ name: "hard", inputs: { text: ["hard"] } }') });
  expect(await pipeline(made, ["build"])).toMatchObject({ code: 0 });
  const captured = manifestOf(made).warmup?.requests.map(({ model, ensemble }) => `${model} ${ensemble}`);
  expect(captured).toEqual(["small ask", "small ask_again"]);
  made.write("pipeline.ts", fallback('{ name: "both", inputs: { text: ["hard and odd"] } }'));
  const { code, err } = await pipeline(made, ["build"]);
  expect(code).toBe(1);
  expect(err).toMatch(
    /^error\[sample\/failed\]: warmup sample `both` of `ask` fails at `large`: .*too hard/m,
  );
});
