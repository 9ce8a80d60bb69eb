import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { addModel, rowFiles } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { serve } from "../cli/served-dev.ts";
import { installTime, temporaryFolder } from "./judge.ts";
import { installPerfAnalyzer } from "./perf-analyzer.ts";

/** Keeps measurements short even on an unsteady machine. */
const short = ["--request-count", "50", "--stability-percentage", "999"];

test(
  "perf_analyzer measures pipeline dev over HTTP and gRPC, and reads its statistics",
  async () => {
    const { run } = await installPerfAnalyzer();
    const folder = await temporaryFolder();
    onTestFinished(folder.remove);
    const repository = join(folder.path, "model_repository");
    writeFiles(repository, rowFiles("next", addModel(1, "batch", 1), 1));
    const dev = await serve({ root: folder.path }, [
      repository,
      "--no-watch",
      "--grpc-port",
      "0",
      "--metrics-port",
      "0",
      "--device",
      "cpu",
    ]);
    const http = dev.url.replace("http://", "");
    const grpc = /gRPC at (\S+?),/.exec(dev.err())?.[1] ?? "";
    for (const server of [
      ["-i", "http", "-u", http],
      ["-i", "grpc", "-u", grpc],
      ["-i", "grpc", "--streaming", "-u", grpc],
      ["-i", "grpc", "--async", "--concurrency-range", "4", "-b", "2", "-u", grpc],
      ["-i", "http", "--shared-memory", "system", "-u", http],
      ["-i", "grpc", "--shared-memory", "system", "--concurrency-range", "2", "-u", grpc],
    ]) {
      const printed = await run("-m", "next", ...server, ...short);
      const requests = Number(/Request count: (\d+)/.exec(printed)?.[1]);
      expect([server.join(" "), requests]).not.toEqual([server.join(" "), Number.NaN]);
      expect(requests).toBeGreaterThanOrEqual(50);
      expect(printed).toMatch(/Server:[^]*Inference count: \d+[^]*Successful request count: \d+/);
      expect(printed).toMatch(/Throughput: [\d.]+ infer\/sec/);
    }
    dev.child.kill("SIGINT");
    expect(await dev.ended).toMatchObject({ code: 0 });
  },
  installTime,
);
