import { serveTriton } from "@tritype/tritonserver";
import { expect, onTestFinished, test } from "vitest";
import { type Ended, pipeline } from "../cli/run-pipeline.ts";
import { repeating, short } from "../cli/short-tune.ts";
import { project, slowSource } from "../cli/small-project.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { installJudge, installTime, killTriton } from "./judge.ts";

const tune = (files: ProjectFixture, ...args: readonly string[]): Promise<Ended> =>
  pipeline(files, ["tune", ...short, "--fresh", ...args]);

test(
  "pipeline tune starts a real Triton for each candidate, which only answers repeated requests from its cache",
  async () => {
    const log = project({ "pipeline.ts": slowSource, "r.jsonl": repeating });
    const [sample, repeated] = await Promise.all([
      tune(project({ "pipeline.ts": slowSource }), "--triton"),
      tune(log, "--triton", "--requests", "r.jsonl"),
    ]);
    for (const { code, out, err } of [sample, repeated]) {
      expect([code, err]).toEqual([0, err]);
      expect(out).toMatch(/^found \d+\.\d\d× \(.+ to .+\) for latency/m);
    }
    expect(sample.out).toMatch(/^double +1\.\d\d( +[\d.]+ ms){4}$/m);
    expect(sample.out).toContain("  double.delay: batching without delay\n");
    expect(repeated.out).toContain("  total.responseCache: repeated requests answered from a cache\n");
  },
  installTime,
);

test(
  "pipeline tune loads each candidate into a running Triton without its cache, and finally the original configurations",
  async () => {
    const source = slowSource.replace("fuse: false,", "fuse: false, responseCache: { enable: true },");
    const files = project({ "pipeline.ts": source });
    expect(await pipeline(files, ["build"])).toMatchObject({ code: 0 });
    const triton = await serveTriton(await installJudge(), {
      repository: files.path("build/model_repository"),
      extraArguments: [
        "--model-control-mode=explicit",
        "--load-model=*",
        "--cache-config=local,size=1048576",
      ],
    });
    onTestFinished(() => killTriton(triton));
    await triton.waitReady();
    const { code, out, err } = await tune(files, "--url", triton.httpUrl);
    expect([code, err]).toEqual([0, err]);
    expect(out).toContain("  double.delay: batching without delay\n");
    const config = (await (await fetch(`${triton.httpUrl}/v2/models/double/config`)).json()) as {
      readonly dynamic_batching: { readonly max_queue_delay_microseconds: number };
      readonly response_cache: { readonly enable: boolean };
    };
    expect(config.dynamic_batching.max_queue_delay_microseconds).toBe(60_000);
    expect(config.response_cache).toEqual({ enable: true });
  },
  installTime,
);
