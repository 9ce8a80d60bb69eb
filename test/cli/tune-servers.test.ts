import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Ended, pipeline, startHere, startPipeline } from "./run-pipeline.ts";
import { serve, serveHere } from "./served-dev.ts";
import { serversOf } from "./server-processes.ts";
import { cached, repeating, short, tune } from "./short-tune.ts";
import { pipelineSource, project, slowSource } from "./small-project.ts";

const control = ["--model-control-mode", "explicit", "--load-model", "*"];

test("Ctrl-C at any moment after the first experiment begins ends it soon, even while requests take long", async () => {
  const source = slowSource.replace("60ms", "6s");
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

/** Kills the process of both servers while the `number`th experiment runs. */
const killedDuring = async (number: number): Promise<Ended> => {
  const files = project({ "pipeline.ts": slowSource });
  const running = startPipeline(files, ["tune", ...short], { env: cached() });
  await running.says(new RegExp(String.raw`^${number}\. `, "m"));
  // Its servers start in about a second, and are measured for several.
  await sleep(3000);
  const [first] = serversOf(running.child.pid ?? 0);
  process.kill(first ?? 0, "SIGKILL");
  return await running.ended;
};

test("a killed server of the current settings ends the run", async () => {
  const { code, err } = await killedDuring(1);
  // On a busy machine, the second server may not be open yet.
  const reasons = /^error\[(?:tune\/baseline-failed|server\/ended)\]: .*signal SIGKILL/m;
  expect([[1, 2].includes(code ?? 0), err]).toEqual([true, expect.stringMatching(reasons)]);
}, 120_000);

test("if the process ends while a candidate is measured, the candidate is skipped, because the current settings still work", async () => {
  const { code, err } = await killedDuring(2);
  expect([code, err]).toEqual([0, expect.stringMatching(/signal SIGKILL/)]);
}, 120_000);

test("a running server loads each candidate without its cache, and finally the original settings", async () => {
  const source = slowSource.replace("fuse: false,", "fuse: false, responseCache: { enable: true },");
  const files = project({ "pipeline.ts": source, "r.jsonl": repeating });
  const cache = ["--cache-config", "local,size=1048576"];
  const { url } = await serveHere(files, [...control, ...cache]);
  const ended = await tune(files, cached(), "--url", url, "--requests", "r.jsonl");
  expect([ended.code, ended.err]).toEqual([
    0,
    expect.stringContaining("note responses of `double` are not cached while they are measured\n"),
  ]);
  expect(ended.err).toContain(
    "note 7 of 9 requests repeat an earlier one, so `responseCache` may answer 78 % of such requests",
  );
  // Cached answers would not have waited for a batch.
  expect(ended.out).toContain("  double.delay: batching without delay\n");
  const config = (await (await fetch(`${url}/v2/models/double/config`)).json()) as {
    readonly dynamic_batching: { readonly max_queue_delay_microseconds: number };
    readonly response_cache: { readonly enable: boolean };
  };
  expect(config.dynamic_batching.max_queue_delay_microseconds).toBe(60_000);
  expect(config.response_cache).toEqual({ enable: true });
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

test("a server that does not load models on request is reported", async () => {
  const files = project({ "pipeline.ts": slowSource });
  const { url } = await serveHere(files);
  const { code, err } = await tune(files, cached(), "--url", url);
  expect([code, err]).toEqual([1, expect.stringContaining(`error[tune/no-control]: the server at ${url}`)]);
  expect(err).toContain("= help: start it with --model-control-mode=explicit, or tune without --url\n");
}, 60_000);
