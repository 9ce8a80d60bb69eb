import { grpcClient, httpClient } from "@tritype/client";
import { tensorOf, valuesOf } from "@tritype/core";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "./served-dev.ts";
import { pipelineSource, project } from "./small-project.ts";

const batched = pipelineSource.replace(
  'file: "models/double.onnx",',
  'file: "models/double.onnx",\n  dynamicBatching: { maxQueueDelay: "20ms" },',
);
const minute = 60_000;

test("setting the clock does not affect requests, statistics or builds", async () => {
  const small = project({ "pipeline.ts": batched });
  const server = await serve(small, [], { jumpingClock: true });
  const [, grpc = ""] = /gRPC at (\S+),/.exec(server.err()) ?? [];
  const clients = [httpClient(server.url, { timeoutMs: minute }), grpcClient(grpc, { timeoutMs: minute })];
  onTestFinished(() => Promise.all(clients.map((client) => client.close())).then(() => {}));
  const inputs = new Map([["x", tensorOf("FP32", [1, 4], [0, 1, 2, 3])]]);
  const ask = async (index: number): Promise<number> => {
    const outputs = await clients[index % 2]?.infer({
      model: "total",
      inputs,
      parameters: { timeout: minute * 1000 },
    });
    const sum = outputs?.get("sum");
    return Number(sum === undefined ? Number.NaN : valuesOf(sum)[0]);
  };

  const began = performance.now();
  for (let round = 0; round < 10; round++)
    expect(await Promise.all([0, 1, 2, 3].map(ask))).toEqual([12, 12, 12, 12]);
  const took = performance.now() - began;

  const statistics = await clients[0]?.statistics();
  const durations = (statistics ?? []).flatMap((model) =>
    Object.values(model.inference_stats).flatMap((one) => one ?? []),
  );
  expect(durations.length).toBeGreaterThan(10);
  for (const { ns } of durations) {
    expect(ns).toBeGreaterThanOrEqual(0);
    expect(ns).toBeLessThan(took * 1e6 * 40);
  }

  small.write("pipeline.ts", batched.replace("{ keepDims: true })", "{ keepDims: true }).mul(2)"));
  const [, milliseconds] = /in (-?\d+) ms/.exec(await server.prints(/^reloaded total .*\n/m)) ?? [];
  expect(Number(milliseconds)).toBeGreaterThan(0);
  expect(Number(milliseconds)).toBeLessThan(30 * minute);
  await expect.poll(() => ask(0), { timeout: minute / 2 }).toBe(24);

  server.child.kill("SIGINT");
  expect(await server.ended).toMatchObject({ code: 0 });
}, 60_000);
