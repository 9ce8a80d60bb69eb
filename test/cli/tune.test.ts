import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ProjectFixture } from "../fixtures/project.ts";
import { type Ended, pipeline, startHere, startPipeline } from "./run-pipeline.ts";
import { serve, serveHere } from "./served-dev.ts";
import { serversOf } from "./server-processes.ts";
import { pipelineSource, project, slowSource } from "./small-project.ts";

const cached = (): Readonly<Record<string, string>> => {
  const cache = mkdtempSync(join(tmpdir(), "tune-cache-"));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  return { TRITYPE_CACHE: cache };
};
/** A load that leaves the processor idle most of the time, with at least five answers in each measurement. */
const rate = ["--rate", "40/s"];
/** Tries only the current settings and the first candidate: noise would decide between further, equally fast ones. */
const short = ["--target", "latency", ...rate, "--seconds", "0.2", "--cores", "1", "--runs", "2"];
const tune = (
  files: ProjectFixture,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Ended> => pipeline(files, ["tune", ...short, ...args], { env });

const control = ["--model-control-mode", "explicit", "--load-model", "*"];

test("a cache that cannot be written is reported before anything is measured", async () => {
  const files = project({ "pipeline.ts": slowSource });
  writeFileSync(files.path("cache"), "a file");
  const { code, err } = await tune(files, { TRITYPE_CACHE: files.path("cache") });
  expect([code, err]).toEqual([2, expect.stringContaining("error[file/not-writable]: cannot write to ")]);
  expect(err).toContain("= help: set TRITYPE_CACHE to a writable folder\n");
  expect(err).not.toMatch(/^1\. /m);
});

test("a report that cannot be written is reported before anything is measured", async () => {
  const { code, err } = await tune(project(), cached(), "--html", "models/double.onnx/a.html");
  expect([code, err]).toEqual([
    2,
    expect.stringContaining("cannot write to models/double.onnx/a.html: there is a file"),
  ]);
});

test("Ctrl-C keeps the measurements for these requests and stops the servers; a delay that does not pay off is found, shown as a diff, and written without measuring again", async () => {
  const files = project({ "pipeline.ts": slowSource });
  const env = cached();
  const asking = (x: number): readonly string[] => {
    writeFileSync(files.path("r.jsonl"), JSON.stringify({ x: [[x, 2, 3, 4]] }));
    return ["--requests", "r.jsonl"];
  };
  const requests = asking(1);
  const running = startPipeline(files, ["tune", ...short, ...requests], { env });
  await running.says(/^2\. /m);
  running.child.kill("SIGINT");
  const { code, err } = await running.ended;
  expect([code, err]).toEqual([0, err]);
  expect(err).toContain("stopped Ctrl-C; the same command continues from here\n");
  const folder = join(env["TRITYPE_CACHE"] ?? "", "tune");
  const state = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0] ?? ""), "utf8")) as {
    readonly trials: readonly { readonly verdict: string }[];
  };
  expect(state.trials.map(({ verdict }) => verdict)).toEqual(["start"]);

  const others = startPipeline(files, ["tune", ...short, ...asking(2)], { env });
  await others.says(/^1\. /m);
  others.child.kill("SIGTERM");
  const terminated = await others.ended;
  expect(terminated.code).toBe(143);
  expect(terminated.err).toContain("stopped SIGTERM; the same command continues from here\n");

  asking(1);
  const first = await tune(files, env, ...requests, "--html", "t.html");
  expect([first.code, first.err]).toEqual([0, first.err]);
  expect(first.err).toMatch(/^2\. /m);
  expect(first.err).not.toMatch(/^1\. /m);
  expect(first.out).toMatch(/^found \d+\.\d\d× \(.+ to .+\) for latency/m);
  expect(first.out).toContain("  double.delay: batching without delay\n");
  expect(first.out).toContain("+  profiles: { tuned: { dynamicBatching: {} } },\n");
  expect(first.out).toContain("export default defineConfig({ profiles: { tuned: {} } });");
  expect(readFileSync(files.path("pipeline.ts"), "utf8")).toBe(slowSource);
  const html = readFileSync(files.path("t.html"), "utf8");
  for (const title of [
    "Pareto front",
    "What was tried",
    "Why the winner wins",
    "Time and batch sizes by model",
  ])
    expect(html).toContain(`<h2>${title}</h2>`);

  const second = await tune(files, env, ...requests, "--write");
  expect(second.err).toContain("reusing 2 measurements of an earlier run");
  expect(second.err).not.toContain("the current settings\n");
  expect(second.err).toContain("wrote pipeline.ts\n");
  const build = await pipeline(files, ["build"]);
  expect([build.code, build.err]).toEqual([0, build.err]);
  const config = readFileSync(files.path("build/model_repository/double/configs/tuned.pbtxt"), "utf8");
  expect(config).toContain("dynamic_batching { }");
  const bench = await pipeline(files, [
    "bench",
    "--profile",
    "tuned",
    ...rate,
    "--seconds",
    "0.2",
    "--warm",
    "0.1",
  ]);
  expect(bench.code).toBe(0);
}, 240_000);

test("Ctrl-C at any moment after the first experiment begins ends it soon, even while requests take long", async () => {
  const source = slowSource.replace('maxQueueDelay: "300ms"', 'maxQueueDelay: "6s"');
  vi.stubEnv("TRITYPE_CACHE", cached()["TRITYPE_CACHE"]);
  onTestFinished(() => void vi.unstubAllEnvs());
  const stopAfter = async (delay: number): Promise<void> => {
    // One of them shows that nothing keeps the process itself alive.
    const start = delay === 1000 ? startPipeline : startHere;
    const running = start(project({ "pipeline.ts": source }), [
      "tune",
      "--target",
      "latency",
      "--cores",
      "1",
    ]);
    await running.says(/^1\. /m);
    await sleep(delay);
    const stopped = performance.now();
    if ("child" in running) running.child.kill("SIGINT");
    else void running.stop();
    const { code, err } = await running.ended;
    expect([delay, code, err]).toEqual([delay, 0, err]);
    expect(err).toContain("stopped Ctrl-C; the same command continues from here\n");
    expect(performance.now() - stopped, `after ${delay} ms`).toBeLessThan(3000);
  };
  await Promise.all([0, 1000, 2500, 9000].map(stopAfter));
}, 60_000);

test("a server that ends in the middle ends the run, which says how to continue", async () => {
  const files = project({ "pipeline.ts": slowSource });
  const served = await serve(files, control);
  const running = startPipeline(files, ["tune", ...short, "--url", served.url], { env: cached() });
  await running.says(/^2\. /m);
  served.child.kill("SIGKILL");
  const { code, err } = await running.ended;
  expect([code, err]).toEqual([2, expect.stringContaining("error[tune/server-lost]: the server at ")]);
  expect(err).toContain("= help: when it runs again, run the same command, which continues from here\n");
  expect(err).toMatch(/^note .*`total` may still have a candidate's settings: restart http/m);
  expect(err).not.toContain("skipped");
}, 120_000);

test("a killed server of the current settings ends the run", async () => {
  const files = project({ "pipeline.ts": slowSource });
  const running = startPipeline(files, ["tune", ...short], { env: cached() });
  // The first server serves the settings with which candidates are compared, and answers before the second one is started.
  const first = await vi.waitUntil(
    () => {
      const [oldest, next] = serversOf(running.child.pid ?? 0);
      return next === undefined ? undefined : oldest;
    },
    { timeout: 60_000 },
  );
  process.kill(first ?? 0, "SIGKILL");
  const { code, err } = await running.ended;
  expect([code, err]).toEqual([1, expect.stringMatching(/^error\[tune\/baseline-failed\]: .* failed: /m)]);
}, 120_000);

test("a running server loads each candidate without its cache, and finally the original settings", async () => {
  const source = slowSource.replace("fuse: false,", "fuse: false, responseCache: { enable: true },");
  const files = project({ "pipeline.ts": source });
  const cache = ["--cache-config", "local,size=1048576"];
  const { url } = await serveHere(files, [...control, ...cache]);
  const ended = await tune(files, cached(), "--url", url);
  expect([ended.code, ended.err]).toEqual([
    0,
    expect.stringContaining("note responses of `double` are not cached while they are measured\n"),
  ]);
  // Cached answers would not have waited for a batch.
  expect(ended.out).toContain("  double.delay: batching without delay\n");
  const config = (await (await fetch(`${url}/v2/models/double/config`)).json()) as {
    readonly dynamic_batching: { readonly max_queue_delay_microseconds: number };
    readonly response_cache: { readonly enable: boolean };
  };
  expect(config.dynamic_batching.max_queue_delay_microseconds).toBe(300_000);
  expect(config.response_cache).toEqual({ enable: true });
}, 240_000);

test("requests that repeat in a file, and invented requests, are pointed out; more candidates do not repeat measurements", async () => {
  const one = JSON.stringify({ x: [[1, 2, 3, 4]] });
  const files = project({
    "pipeline.ts": pipelineSource.replace("fuse: false,", "fuse: false, responseCache: { enable: true },"),
    "r.jsonl": [one, JSON.stringify({ x: [[4, 3, 2, 1]] }), one, one].join("\n"),
  });
  const env = cached();
  const repeated = await tune(files, env, "--requests", "r.jsonl");
  expect([repeated.code, repeated.err]).toEqual([
    0,
    expect.stringContaining(
      "note 2 of them repeat an earlier one, so `responseCache` may answer 50 % of such requests",
    ),
  ]);
  // A notice that every server gives is printed once.
  expect(repeated.err.match(/this server has no response cache/g)).toHaveLength(1);
  const invented = await tune(files, env);
  expect([invented.code, invented.err]).toEqual([
    0,
    expect.stringContaining("note the best settings depend on the lengths of real requests"),
  ]);
  const longer = await tune(files, env, "--runs", "3");
  expect(longer.err).toContain("reusing 2 measurements of an earlier run");
}, 240_000);

test("whether a limit is met is printed, is on the page, and decides the exit code", async () => {
  // Waiting for a batch needs no processor time.
  const files = project({ "pipeline.ts": slowSource.replace("300ms", "100ms") });
  const within = async (limit: string) => {
    const load = ["--target", `p50<${limit}`, "--seconds", "0.1", "--cores", "1", "--runs", "2"];
    const ended = await pipeline(files, ["tune", ...load, "--html", "r.html"], { env: cached() });
    return { ...ended, html: readFileSync(files.path("r.html"), "utf8") };
  };
  const met = await within("60s");
  expect([met.code, met.out]).toEqual([
    0,
    expect.stringMatching(/^p50<60000ms is met: [\d.]+ ms with \d+ clients$/m),
  ]);
  expect(met.html).toContain("p50&lt;60000ms");
  const missed = await within("0.001ms");
  expect([missed.code, missed.out]).toEqual([
    1,
    expect.stringMatching(
      /^missed no settings that were tried meet p50<0.001ms: the best reach [\d.]+ ms with \d+ clients$/m,
    ),
  ]);
  expect(missed.html).toContain("No settings that were tried are within the limit.");
}, 240_000);

test("the processors of a server are those of the profile, but at most those of this machine", async () => {
  // A server starts a thread for each.
  const cores = availableParallelism() + 30;
  const files = project({
    "pipeline.ts": pipelineSource.replace("fuse: false,", "fuse: false, profiles: { many: {} },"),
    "pipeline.config.ts": `import { defineConfig } from "tritype";
export default defineConfig({ profiles: { many: { cores: ${cores} } } });
`,
  });
  const { url } = await serveHere(files, control);
  const asked = [
    "tune",
    "--target",
    "latency",
    "--rate",
    "100/s",
    "--seconds",
    "0.1",
    "--runs",
    "2",
    "--profile",
    "many",
  ];
  const env = cached();
  const remote = await pipeline(files, [...asked, "--url", url], { env });
  const note = `note profile \`many\` has \`cores: ${cores}\`: layouts for`;
  expect([remote.code, remote.err]).toEqual([0, expect.stringContaining(`${note} ${cores} are tried`)]);
  const own = await pipeline(files, asked, { env });
  expect([own.code, own.err]).toEqual([
    0,
    expect.stringContaining(`${note} ${availableParallelism()} are tried`),
  ]);
}, 240_000);

test.each([
  [["embed2", "--target", "throughput"], "there is no ensemble `embed2`"],
  [[], "`pipeline tune` needs a target"],
  [["--target", "speed"], "--target is speed"],
  [["--target", "p99<0ms"], "--target is p99<0ms"],
  [["--target", "throughput", "--rate", "5/s"], "--rate fixes the throughput"],
  [["--target", "p99<5ms", "--clients", "5"], "finds the number of clients itself"],
  [["--target", "latency", "--rate", "5/s", "--clients", "5"], "are two kinds of load"],
  [["--target", "latency", "--profile", "cpu"], "there is no profile `cpu`"],
  [["--target", "latency", "--url", "127.0.0.1:1"], "127.0.0.1:1"],
  [
    ["--target", "latency", "--url", "127.0.0.1:1", "--triton"],
    "--triton starts a server, --url uses a running one",
  ],
  [["--target", "latency", "--requests", "none.jsonl"], "none.jsonl"],
  [["--target", "latency", "--runs", "1"], "--runs is 1"],
  [["--target", "latency", "--name", "a/b"], "--name is a/b"],
] as const)(
  "refused: %j",
  async (args, message) => {
    const { code, err } = await pipeline(project(), ["tune", ...args], { env: cached() });
    expect([code, err]).toEqual([code === 1 ? 1 : 2, expect.stringContaining(message)]);
  },
  60_000,
);

test("a server that does not load models on request is reported", async () => {
  const files = project({ "pipeline.ts": slowSource });
  const { url } = await serveHere(files);
  const { code, err } = await tune(files, cached(), "--url", url);
  expect([code, err]).toEqual([1, expect.stringContaining(`error[tune/no-control]: the server at ${url}`)]);
  expect(err).toContain("= help: start it with --model-control-mode=explicit, or tune without --url\n");
}, 60_000);
