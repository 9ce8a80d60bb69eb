import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { grpcClient, httpClient } from "@tritype/client";
import { tensorOf } from "@tritype/core";
import { startRuntime } from "@tritype/runtime";
import { serveGrpc, serveHttp } from "@tritype/server";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../runtime/src/fixtures/temporary-repository.ts";
import { addModel, rowFiles } from "../../runtime/src/fixtures/onnx-models.ts";
import { modelActivity } from "./model-activity.ts";

const duration = (count: number, ns: number) => ({ count, ns });
const statistics = (
  requests: number,
  executions: number,
  batches: readonly (readonly [number, number])[],
) => ({
  name: "encoder",
  version: "1",
  inference_count: requests * 2,
  execution_count: executions,
  inference_stats: {
    success: duration(requests, requests * 9_000_000),
    fail: duration(1, 5),
    queue: duration(requests, requests * 3_000_000),
    compute_input: duration(requests, requests * 1000),
    compute_infer: duration(requests, requests * 5_000_000),
    compute_output: duration(requests, requests * 2000),
  },
  batch_stats: batches.map(([batch_size, count]) => ({ batch_size, compute_infer: duration(count, count) })),
});

test("the activity is the difference between two readings", () => {
  const before = statistics(10, 10, [[2, 10]]);
  const after = statistics(30, 15, [
    [2, 11],
    [16, 4],
  ]);
  expect(modelActivity([before], [after])).toEqual([
    {
      model: "encoder",
      version: "1",
      requests: 20,
      failures: 0,
      inferences: 40,
      executions: 5,
      averageBatch: 8,
      totalUs: 9000,
      queueUs: 3000,
      computeInputUs: 1,
      computeInferUs: 5000,
      computeOutputUs: 2,
      batches: [
        { rows: 2, executions: 1 },
        { rows: 16, executions: 4 },
      ],
    },
  ]);
  expect(modelActivity([before], [before])).toEqual([]);
  expect(modelActivity([], [before])).toMatchObject([{ requests: 10, failures: 1 }]);
});

test("a server that was restarted in between starts counting from zero", () => {
  expect(modelActivity([statistics(100, 100, [])], [statistics(7, 7, [[2, 7]])])).toMatchObject([
    { requests: 7 },
  ]);
});

test("HTTP and gRPC give the same statistics of a server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-load-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  writeFiles(folder, rowFiles("next", addModel(1, "batch", 1), 1));
  const runtime = await startRuntime({ repository: folder, device: "cpu", python: "twin", notice: () => {} });
  onTestFinished(() => runtime.close());
  const [http, grpc] = [await serveHttp(runtime, { port: 0 }), await serveGrpc(runtime, { port: 0 })];
  const clients = [httpClient(http.url), grpcClient(grpc.address)] as const;
  onTestFinished(async () => {
    await clients[1].close();
    await grpc.close();
    await http.close();
  });
  const inputs = new Map([["X", tensorOf("FP32", [3, 1], [1, 2, 3])]]);
  const before = await clients[1].statistics();
  for (const client of clients) await client.infer({ model: "next", inputs });
  const [fromHttp, fromGrpc] = [await clients[0].statistics(), await clients[1].statistics()];
  expect(fromGrpc).toEqual(fromHttp);
  expect(modelActivity(before, fromHttp)).toMatchObject([
    {
      model: "next",
      requests: 2,
      inferences: 6,
      executions: 2,
      averageBatch: 3,
      batches: [{ rows: 3, executions: 2 }],
    },
  ]);
});
