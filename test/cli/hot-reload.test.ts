import {
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { httpClient } from "@tritype/client";
import { tensorOf, valuesOf } from "@tritype/core";
import { hasEnded } from "@tritype/wheels";
import { type AnyClient, createClient, type HttpOptions } from "tritype/client";
import { createGrpcClient, type GrpcOptions } from "tritype/client/grpc";
import { describe, expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { doubleModel } from "../fixtures/models.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { pipeline } from "./run-pipeline.ts";
import { serve, type Served, serveHere, type Serving, valueOf, x } from "./served-dev.ts";
import { pipelineSource, project, tokenizerSource } from "./small-project.ts";

/** The small pipeline with its sum, which is 12 for 0, 1, 2, 3, multiplied by a factor. */
const times = (factor: number): string =>
  pipelineSource.replace("{ keepDims: true })", `{ keepDims: true }).mul(${factor})`);
const ask = async (server: Serving): Promise<unknown> => valueOf(await server.infer("total", x([1, 4])));
const stillServing = /^still serving the build of \d\d:\d\d:\d\d$/m;
const reloaded = /^reloaded .*\n/m;

/** The files of a build of the small project. An unfinished build must not leave other files behind. */
const buildEntries = [
  ".dockerignore",
  "Dockerfile",
  "client",
  "compose.yaml",
  "manifest.json",
  "model_repository",
];

/** `TRITYPE_LOAD=long` makes 20 edits. */
const edits = process.env["TRITYPE_LOAD"] === "long" ? 20 : 5;

test(`${edits} edits under 50 requests a second: no request fails, each answer is the old or the new one, and Ctrl-C during another edit leaves no files behind`, async () => {
  const small = project({ "pipeline.ts": times(1) });
  const server = await serve(small);
  const client = httpClient(server.url);
  onTestFinished(() => client.close());
  const inputs = new Map([["x", tensorOf("FP32", [1, 4], [0, 1, 2, 3])]]);
  /** The last factor that was seen, and the last one that was saved. */
  let [seen, saved] = [1, 1];
  const wrong: unknown[] = [];
  const running = new Set<Promise<void>>();
  let sent = 0;
  const request = async (): Promise<void> => {
    const from = seen;
    sent++;
    try {
      const sum = (await client.infer({ model: "total", inputs })).get("sum");
      const factor = Number(sum === undefined ? Number.NaN : valuesOf(sum)[0]) / 12;
      if (!(factor >= from && factor <= saved)) wrong.push({ from, saved, factor });
      seen = Math.max(seen, factor);
    } catch (error) {
      wrong.push(error);
    }
  };
  const threads = threadsOf(server);
  const timer = setInterval(() => {
    const answer = request().finally(() => running.delete(answer));
    running.add(answer);
  }, 20);
  for (let factor = 2; factor <= edits + 1; factor++) {
    saved = factor;
    small.write("pipeline.ts", times(factor));
    expect(await server.prints(reloaded)).toMatch(/^reloaded total in \d+ ms \(2 models changed\)\n$/);
    await expect.poll(() => seen, { timeout: 20_000 }).toBe(factor);
  }
  clearInterval(timer);
  await Promise.all(running);
  expect(wrong).toEqual([]);
  expect(sent).toBeGreaterThan(edits * 5);
  await expect.poll(() => threadsOf(server), { timeout: 20_000 }).toBeLessThanOrEqual(threads);
  await expectCleanExit(small, server, 120);
}, 180_000);

/** Ctrl-C `delay` ms after an edit ends the server without an error, and leaves a complete build. */
const expectCleanExit = async (small: ProjectFixture, server: Served, delay: number): Promise<void> => {
  const before = server.err().length;
  small.write("pipeline.ts", times(99));
  await sleep(delay);
  server.child.kill("SIGINT");
  expect(await server.ended).toMatchObject({ code: 0, signal: null });
  expect(server.err().slice(before)).not.toMatch(/error|at file:/);
  expect(readdirSync(small.path("build")).toSorted()).toEqual(buildEntries);
  expect((await pipeline(small, ["build", "--check"])).err).toMatch(/up to date|out of date/);
};

/** The number of threads, or 0 on systems other than Linux. Sessions and builds run in their own threads. */
const threadsOf = ({ child }: Served): number =>
  existsSync(`/proc/${child.pid}/task`) ? readdirSync(`/proc/${child.pid}/task`).length : 0;

test("after a broken edit the last build keeps serving and the diagnostic is shown; after a fix the new build is served; Ctrl-C during an edit ends the server", async () => {
  const small = project({ "pipeline.ts": times(1) });
  const server = await serve(small);
  const model = small.path("models/double.onnx");
  const cases: readonly (readonly [string, () => void, RegExp])[] = [
    [
      "syntax",
      () => small.write("pipeline.ts", `${times(2)}\nconst = 1;`),
      /^error\[project\/invalid\].*\n.*pipeline\.ts:\d+/m,
    ],
    [
      "nonsense for the types",
      () => small.write("pipeline.ts", pipelineSource.replace("y.sum", "y.summ")),
      /your code threw TypeError: y\.summ is not a function/,
    ],
    [
      "shapes",
      () =>
        small.write(
          "pipeline.ts",
          pipelineSource.replace('x: fp32("batch", 4) },\n  run', 'x: fp32("batch", 5) },\n  run'),
        ),
      /^error\[.*FP32\[batch, 5\]/ms,
    ],
    [
      "an import of nothing",
      () =>
        small.write(
          "pipeline.ts",
          `import { factor } from "./lib/factor.ts";\n${times(3).replace("mul(3)", "mul(factor)")}`,
        ),
      /the file "\.\/lib\/factor\.ts" does not exist/,
    ],
    ["no model", () => renameSync(model, `${model}.aside`), /`models\/double\.onnx` does not exist/],
    ["a truncated model", () => truncateSync(model, 60), /^error\[onnx\/not-readable\]/m],
    [
      "not a configuration",
      () => small.write("pipeline.config.ts", "export default { outputs: 1 };"),
      /there is no field `outputs`/,
    ],
    [
      "another output folder",
      () => small.write("pipeline.config.ts", 'export default { output: "other" };'),
      /^the project builds into other now, and build is served: start `pipeline dev` again$/m,
    ],
    [
      "an exit while it is loaded",
      () => small.write("pipeline.ts", `${times(2)}\nprocess.exit(7);`),
      /your code called process\.exit\(7\)/,
    ],
    [
      "a build that exits",
      () =>
        small.write(
          "pipeline.ts",
          `${times(2)}\n(process as never as Record<string, Function>).reallyExit(7);`,
        ),
      /your code stopped the build with process\.exit\(7\)/,
    ],
  ];
  for (const [name, breakIt, diagnostic] of cases) {
    breakIt();
    expect(await server.prints(stillServing), name).toMatch(diagnostic);
    expect([name, await ask(server)]).toEqual([name, 12]);
    small.write("pipeline.ts", times(1));
    small.write("models/double.onnx", doubleModel());
    rmSync(small.path("pipeline.config.ts"), { force: true });
    await server.prints(/^fixed: serving the build of .*\n/m);
    expect([name, await ask(server)]).toEqual([name, 12]);
  }
  expect(existsSync(small.path("other"))).toBe(false);
  small.write("pipeline.config.ts", 'export default { output: "build", target: "24.10" };');
  small.write(
    "pipeline.ts",
    `import { factor } from "./lib/factor.ts";\n${times(3).replace("mul(3)", "mul(factor)")}`,
  );
  await server.prints(stillServing);
  small.write("lib/factor.ts", "export const factor = 4;\n");
  await server.prints(reloaded);
  expect(await ask(server)).toBe(48);
  await expectCleanExit(small, server, 400);
}, 180_000);

test("a client that is running when a reload changes the contract says so, over HTTP and gRPC", async () => {
  const small = project();
  const server = await serveHere(small);
  const from = (path: string): Promise<unknown> =>
    import(pathToFileURL(small.path(`build/client/${path}`)).href);
  const { totalClient, totalContract } = (await from("total.js")) as TotalModule;
  const { createGrpcClient: open } = (await from("core/grpc.js")) as GrpcModule;
  const names = { url: server.url, ensemble: "total" } as const;
  const own = [totalClient({ url: server.url }), open({ address: server.address, ensemble: totalContract })];
  const byName = [createClient(names), createGrpcClient({ address: server.address, ensemble: "total" })];
  onTestFinished(() => [...own, ...byName].forEach((client) => client.close()));
  const inputs = { x: [[1, 2, 3, 4]] };
  for (const client of [...own, ...byName]) await client.infer(inputs);
  small.write(
    "pipeline.ts",
    pipelineSource.replace(
      'inputs: { x: fp32("batch", 4) },\n  run({ x }) {',
      'inputs: { values: fp32("batch", 4) },\n  run({ values: x }) {',
    ),
  );
  await server.prints(reloaded);
  const differences = [
    { side: "input", tensor: "x", expected: "FP32[batch, 4]", got: undefined },
    { side: "input", tensor: "values", expected: undefined, got: "FP32[batch, 4]" },
  ];
  for (const client of [...own, ...byName])
    await expect(client.infer(inputs)).rejects.toMatchObject({
      kind: "contract",
      mayHaveRun: false,
      differences,
      cause: { kind: "refused" },
    });
  for (const client of byName) await client.infer({ values: [[1, 2, 3, 4]] });
}, 60_000);

interface TotalModule {
  readonly totalContract: never;
  readonly totalClient: (options: HttpOptions) => AnyClient<Readonly<Record<string, unknown>>, object>;
}
interface GrpcModule {
  readonly createGrpcClient: (
    options: GrpcOptions & { readonly ensemble: never },
  ) => AnyClient<Readonly<Record<string, unknown>>, object>;
}

describe("watched files", () => {
  test("sources, models, link targets and tokenizers are watched", async () => {
    const small = project({
      "pipeline.ts": `import { factor } from "./lib/factor.ts";\n${times(2).replace("mul(2)", "mul(factor)")}`,
      "lib/factor.ts": "export const factor = 2;\n",
      "shared/double.onnx": doubleModel(),
    });
    rmSync(small.path("models/double.onnx"));
    symlinkSync("../shared/double.onnx", small.path("models/double.onnx"));
    const server = await serveHere(small);
    expect(await ask(server)).toBe(24);
    small.write("lib/factor.ts", "export const factor = 3;\n");
    await server.prints(reloaded);
    expect(await ask(server)).toBe(36);
    small.write("shared/double.onnx", doubleModel(4, 16));
    expect(await server.prints(reloaded)).toMatch(/^reloaded total in \d+ ms \(2 models changed\)$/m);
    // Many editors save by renaming a new file over the old one.
    small.write("lib/factor.ts.tmp", "export const factor = 5;\n");
    renameSync(small.path("lib/factor.ts.tmp"), small.path("lib/factor.ts"));
    await server.prints(reloaded);
    expect(await ask(server)).toBe(60);
    // Others delete the file and write it again piece by piece.
    rmSync(small.path("lib/factor.ts"));
    await server.prints(stillServing);
    small.write("lib/factor.ts", "export const fac");
    await sleep(20);
    small.write("lib/factor.ts", "export const factor = 6;\n");
    await server.prints(reloaded);
    expect(await ask(server)).toBe(72);
    small.write("notes.txt", "nobody reads this");
    small.write(
      "pipeline.ts",
      `// a comment\n${times(2).replace("mul(2)", "mul(factor)")}`.replace(
        "\n",
        '\nimport { factor } from "./lib/factor.ts";\n',
      ),
    );
    await server.prints(/^nothing changed \(\d+ ms\)$/m);

    small.write("pipeline.ts", tokenizerSource);
    await server.prints(reloaded);
    const text = { inputs: [{ name: "text", datatype: "BYTES", shape: [1, 1], data: ["hello there"] }] };
    const ids = async (): Promise<unknown> => (await server.infer("ids", text)).body;
    expect(await ids()).toMatchObject({ outputs: [{ shape: [1, 4] }] });
    small.write("pipeline.ts", tokenizerSource.replace("maxLength: 16", "maxLength: 3"));
    await server.prints(reloaded);
    expect(await ids()).toMatchObject({ outputs: [{ shape: [1, 3] }] });
    const words = { "[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, hello: 9 };
    small.write(
      "assets/tokenizer/tokenizer.json",
      JSON.stringify({
        version: "1.0",
        added_tokens: [],
        normalizer: null,
        pre_tokenizer: { type: "WhitespaceSplit" },
        post_processor: null,
        decoder: null,
        model: { type: "WordLevel", vocab: words, unk_token: "[UNK]" },
      }),
    );
    expect(await server.prints(reloaded)).toMatch(/\(2 models changed\)/);
    expect(await ids()).toMatchObject({ outputs: [{ data: [9, 1] }] });
  }, 120_000);

  test("a project folder may be removed and restored, and a deleted build folder is built again", async () => {
    const small = project({ "pipeline.ts": times(1) });
    const server = await serveHere({ root: small.path("..") }, ["--project", small.root]);
    renameSync(small.root, `${small.root}-aside`);
    onTestFinished(() => rmSync(`${small.root}-aside`, { recursive: true, force: true }));
    await server.prints(stillServing);
    expect(await ask(server)).toBe(12);
    renameSync(`${small.root}-aside`, small.root);
    await server.prints(/^fixed/m);
    small.write("pipeline.ts", times(2));
    await server.prints(reloaded);
    expect(await ask(server)).toBe(24);
    for (const _ of [1, 2]) {
      // A build that is still running would restore the folder without a message.
      await sleep(500);
      rmSync(small.path("build"), { recursive: true });
      await server.prints(/^\w+\/build\/manifest\.json was deleted: building again$/m);
      await expect.poll(() => existsSync(small.path("build/manifest.json"))).toBe(true);
      expect(await ask(server)).toBe(24);
    }
    small.write("pipeline.ts", times(3));
    await expect.poll(() => ask(server)).toBe(36);
  }, 120_000);

  test("nothing is watched with --no-watch", async () => {
    const small = project({ "pipeline.ts": times(1) });
    const server = await serveHere(small, ["--no-watch"]);
    const before = server.err();
    expect(before).toMatch(/^stop with Ctrl-C$/m);
    small.write("pipeline.ts", times(2));
    await sleep(1500);
    expect([server.err(), await ask(server)]).toEqual([before, 12]);
    const detail = (await (await fetch(`${server.url}/inspector/api/model/total`)).json()) as object;
    expect(detail).toMatchObject({ source: { path: "pipeline.ts" } });
  }, 60_000);
});

test("after a first build that fails, the page has its errors, and the next save builds and serves", async () => {
  const small = project({
    "pipeline.ts": `${times(2)}\nconst = 1;`,
    "pipeline.config.ts": 'export default { output: "made" };',
  });
  const server = await serveHere(small);
  expect(server.err()).toMatch(
    /^error\[project\/invalid\].*^the build failed: no models are served until a change fixes it$/ms,
  );
  const changes = async (): Promise<unknown> => (await fetch(`${server.url}/inspector/api/changes`)).json();
  expect(await changes()).toMatchObject({ failure: expect.stringContaining("pipeline.ts:") as unknown });
  small.write("pipeline.ts", `${times(2)}\nawait new Promise(() => {});`);
  await server.prints(/waits at its top level for a promise that never settles[^]*^no models are served$/m);
  small.write("pipeline.ts", times(2));
  await server.prints(reloaded);
  expect(await ask(server)).toBe(24);
  expect(await changes()).not.toHaveProperty("failure");
  expect(small.path("made/manifest.json")).toSatisfy(existsSync);
  expect(await server.stop()).toMatchObject({ code: 0 });

  small.write("pipeline.ts", "const = 1;");
  const again = await serveHere(small);
  expect(again.err()).toMatch(/^the build failed: the models of an earlier build are served /m);
  expect(await ask(again)).toBe(24);
  small.write("pipeline.ts", times(3));
  await again.prints(reloaded);
  expect(await ask(again)).toBe(36);
}, 120_000);

test("with --no-watch, a first build that fails ends the command", async () => {
  const small = project({ "pipeline.ts": "const = 1;" });
  expect(await pipeline(small, ["dev", "--no-watch", "--http-port", "0"])).toMatchObject({
    code: 1,
    out: "",
  });
  expect(small.path("build")).not.toSatisfy(existsSync);
});

test("another process's build is served once its manifest exists", async () => {
  const small = project({ "pipeline.ts": times(1) });
  await pipeline(small, ["build"]);
  const server = await serve(small, ["build/model_repository"]);
  for (const factor of [2, 3]) {
    small.write("pipeline.ts", times(factor));
    await pipeline(small, ["build"]);
    expect(await server.prints(reloaded)).toMatch(/^reloaded total in \d+ ms \(2 models changed\)$/m);
    expect(await ask(server)).toBe(12 * factor);
  }
  rmSync(small.path("build"), { recursive: true });
  expect(await server.prints(stillServing)).toMatch(
    /^error\[repository\/not-found\]: the model repository .* does not exist\n {2}= help: build one with /m,
  );
  expect(await ask(server)).toBe(36);
  small.write("pipeline.ts", times(4));
  await pipeline(small, ["build"]);
  await server.prints(reloaded);
  expect(await ask(server)).toBe(48);
}, 120_000);

const tensors = `
max_batch_size: 8
input [{ name: "x", data_type: TYPE_FP32, dims: [4] }]
output [{ name: "y", data_type: TYPE_FP32, dims: [4] }]
`;
/** Responds with the process's id. */
const pythonModel = (sign: string): string => `import os
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        ids = np.full((1, 4), ${sign}os.getpid(), np.float32)
        return [pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("y", ids)]) for _ in requests]
`;

test("every file of a repository without a manifest is watched, including Python", async () => {
  const small = project({
    "repository/double/config.pbtxt": `platform: "onnxruntime_onnx"${tensors}`,
    "repository/double/1/model.onnx": doubleModel(),
    "repository/pid/config.pbtxt": `backend: "python"${tensors}`,
    "repository/pid/1/model.py": pythonModel(""),
  });
  const server = await serveHere(small, ["repository"], { env: { TRITYPE_PYTHON: await pythonWithNumpy() } });
  const pid = Number(valueOf(await server.infer("pid", x([1, 4]))));
  small.write("repository/pid/1/model.py", pythonModel("-"));
  expect(await server.prints(reloaded)).toMatch(/^reloaded pid in \d+ ms \(1 model changed\)$/m);
  const next = -Number(valueOf(await server.infer("pid", x([1, 4]))));
  expect(next).toBeGreaterThan(0);
  await expect.poll(() => hasEnded(pid), { timeout: 20_000 }).toBe(true);

  writeFileSync(small.path("repository/double/1/model.onnx"), doubleModel().subarray(0, 60));
  const said = await server.prints(stillServing);
  expect(said).toMatch(/^cannot load double: onnx runtime error: Load model from .*model\.onnx failed/m);
  expect((await server.infer("double", x([1, 4]))).status).toBe(200);
  small.write("repository/double/1/model.onnx", doubleModel(4, 16));
  await server.prints(/^reloaded double .*\n/m);

  small.write("repository/more/config.pbtxt", `platform: "onnxruntime_onnx"${tensors}`);
  small.write("repository/more/1/model.onnx", doubleModel());
  await server.prints(/^reloaded more .*\n/m);
  rmSync(small.path("repository/more"), { recursive: true });
  await server.prints(/^removed more in \d+ ms \(1 model changed\)$/m);
  expect((await server.infer("more", x([1, 4]))).status).toBe(404);
  expect(await server.stop()).toMatchObject({ code: 0 });
  await expect.poll(() => hasEnded(next), { timeout: 20_000 }).toBe(true);
}, 120_000);

test("two dev servers of one project serve every edit and leave a single build", async () => {
  const small = project({ "pipeline.ts": times(1) });
  const servers = [await serve(small), await serveHere(small)];
  for (const factor of [2, 3]) {
    small.write("pipeline.ts", times(factor));
    for (const server of servers) await server.prints(reloaded);
    expect(await Promise.all(servers.map(ask))).toEqual([12 * factor, 12 * factor]);
  }
  expect(readdirSync(small.path("build")).toSorted()).toEqual(buildEntries);
}, 60_000);
