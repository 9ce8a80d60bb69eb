import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pipeline, startPipeline } from "./run-pipeline.ts";
import { cached, rate, repeating, short, tune } from "./short-tune.ts";
import { pipelineSource, project, slowSource } from "./small-project.ts";

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

test("a cache is tried if requests repeat in a file, and written into the ensemble's profile", async () => {
  const files = project({
    "pipeline.ts": slowSource,
    "r.jsonl": `\ufeff${repeating.replaceAll("\n", "\r\n")}`,
  });
  const ended = await tune(files, cached(), "--requests", "r.jsonl", "--write");
  expect([ended.code, ended.err]).toEqual([0, ended.err]);
  expect(ended.err).toContain(
    "2. total.responseCache: repeated requests answered from a cache (7 of 9 requests repeat an earlier one)\n",
  );
  expect(ended.err).toContain(
    "note answers are only cached by servers with a cache: --cache-config=local,size=<bytes>",
  );
  expect(ended.out).toMatch(/^found \d+\.\d\d× \(.+ to .+\) for latency/m);
  expect(ended.out).toContain("+  profiles: { tuned: { responseCache: { enable: true } } },\n");
  expect(await pipeline(files, ["build"])).toMatchObject({ code: 0 });
  const config = readFileSync(files.path("build/model_repository/total/configs/tuned.pbtxt"), "utf8");
  expect(config).toContain("response_cache { enable: true }\n");
}, 240_000);

test("an ensemble with a cache is measured without it; invented requests are pointed out; more candidates do not repeat measurements", async () => {
  const files = project({
    "pipeline.ts": pipelineSource.replace("fuse: false,", "fuse: false, responseCache: { enable: true },"),
    "r.jsonl": repeating,
  });
  const env = cached();
  const repeated = await tune(files, env, "--requests", "r.jsonl");
  expect([repeated.code, repeated.err]).toEqual([0, expect.not.stringContaining("total.responseCache")]);
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
  const files = project({ "pipeline.ts": slowSource });
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
