import { join } from "node:path";
import { startRuntime } from "@tritype/runtime";
import { serveGrpc, serveHttp } from "@tritype/server";
import { expect, onTestFinished, test } from "vitest";
import { addModel, rowFiles } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { installTime, temporaryFolder, writeFiles } from "./judge.ts";
import { installPerfAnalyzer } from "./perf-analyzer.ts";

/** Short, and no matter how steady the machine is. */
const short = ["--measurement-mode", "count_windows", "--measurement-request-count", "50"];
const steady = ["--stability-percentage", "999", "--max-trials", "3"];

test(
  "perf_analyzer measures the local server over HTTP and gRPC, and reads its statistics",
  async () => {
    const perfAnalyzer = await installPerfAnalyzer();
    const folder = await temporaryFolder();
    onTestFinished(folder.remove);
    const repository = join(folder.path, "model_repository");
    await writeFiles(repository, rowFiles("next", addModel(1, "batch", 1), 1));
    const runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice: () => {} });
    onTestFinished(() => runtime.close());
    const http = await serveHttp(runtime, { port: 0 });
    onTestFinished(() => http.close());
    const grpc = await serveGrpc(runtime, { port: 0 });
    onTestFinished(() => grpc.close());
    for (const server of [
      ["-i", "http", "-u", `127.0.0.1:${http.port}`],
      ["-i", "grpc", "-u", grpc.address],
      ["-i", "grpc", "--streaming", "-u", grpc.address],
      ["-i", "grpc", "--async", "--concurrency-range", "4", "-b", "2", "-u", grpc.address],
    ]) {
      const printed = await perfAnalyzer("-m", "next", ...server, ...short, ...steady);
      const requests = Number(/Request count: (\d+)/.exec(printed)?.[1]);
      expect([server.join(" "), requests]).not.toEqual([server.join(" "), Number.NaN]);
      expect(requests).toBeGreaterThanOrEqual(50);
      expect(printed).toMatch(/Server:[^]*Inference count: \d+[^]*Successful request count: \d+/);
      expect(printed).toMatch(/Throughput: [\d.]+ infer\/sec/);
    }
  },
  installTime,
);
