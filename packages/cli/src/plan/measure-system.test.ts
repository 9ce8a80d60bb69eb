import { setTimeout as wait } from "node:timers/promises";
import { type NamedTensors, tensorOf } from "@tritype/core";
import type { ModelStatistics } from "@tritype/protocol";
import type { ModelConfig } from "@tritype/triton";
import { describe, expect, test } from "vitest";
import type { MeasuredServer } from "./measured-server.ts";
import { measureSystem } from "./measure-system.ts";

const io = { input: [{ name: "x", dims: [1] }], output: [{ name: "y", dims: [1] }] };
const maps = { input_map: { x: "x" }, output_map: { y: "y" } };
const ensemble = (model_version: number): ModelConfig => ({
  ...io,
  platform: "ensemble",
  ensemble_scheduling: { step: [{ model_name: "m", model_version, ...maps }] },
});
const tensors: NamedTensors = new Map(["x", "y"].map((name) => [name, tensorOf("INT8", [1], [0])]));

interface Behaviour {
  /** The number of reads after which the statistics contain a request. */
  readonly countedAfter?: number;
  /** Milliseconds that a request to the ensemble takes. */
  readonly whole?: number;
  /** Milliseconds of processor time that a request takes, in its models and outside. */
  readonly processor?: number;
  /** Milliseconds of it that the server's children use. */
  readonly child?: number;
  /** Milliseconds that the n-th execution of the model takes, according to the statistics. */
  readonly execution?: (n: number, whole: boolean) => number;
}

/** A server with an ensemble `e` that contains the model `m`. */
const serverOf = ({
  countedAfter = 0,
  whole = 0,
  processor = 0,
  child = 0,
  execution = () => 1,
}: Behaviour = {}) => {
  const asked: string[] = [];
  const executed = new Map<string, number>();
  let pending: { reads: number; readonly ms: number }[] = [];
  let [count, ms] = [0, 0];
  const statistics = async (): Promise<readonly ModelStatistics[]> => {
    for (const one of pending) if (one.reads-- <= 0) [count, ms] = [count + 1, ms + one.ms];
    pending = pending.filter(({ reads }) => reads >= 0);
    const done = (name: string, count: number): ModelStatistics => {
      const none = { count: 0, ns: 0 };
      const compute = { count, ns: ms * 1e6 };
      return {
        name,
        version: "1",
        inference_count: count,
        execution_count: count,
        inference_stats: {
          success: compute,
          fail: none,
          queue: none,
          compute_input: none,
          compute_infer: compute,
          compute_output: none,
        },
        batch_stats: [{ batch_size: 1, compute_infer: compute }],
      };
    };
    return [done("m", count), done("e", executed.get("e") ?? 0)];
  };
  const infer = async (model: string, _: NamedTensors, version?: string): Promise<NamedTensors> => {
    const n = (executed.get(model) ?? 0) + 1;
    executed.set(model, n);
    asked.push(`${model} ${version ?? "latest"}`);
    pending.push({ reads: countedAfter, ms: execution(n, model === "e") });
    if (model === "e") await wait(whole);
    return tensors;
  };
  const unused = () => Promise.reject(new Error("not used"));
  const server: MeasuredServer = {
    name: "triton 2.51.0",
    configName: undefined,
    endpoint: { name: "", models: undefined, metadata: unused, config: unused, infer, close: unused },
    statistics,
    target: (model, requests) => ({
      requests: requests.length,
      open: () => ({
        send: async (index) => {
          await infer(model, requests[index] ?? new Map());
          return undefined;
        },
        close: () => undefined,
      }),
    }),
    processorTime: () => ({
      own: asked.length * (processor - child) * 1000,
      children: asked.length * child * 1000,
    }),
    close: unused,
  };
  return { server, asked };
};

const measure = (server: MeasuredServer, version = -1) =>
  measureSystem({
    server,
    model: "e",
    configs: new Map([
      ["e", ensemble(version)],
      ["m", io],
    ]),
    requests: [tensors],
    cores: 1,
    seconds: 0,
    onProgress: () => undefined,
  });

describe("a server may count requests after it has answered them", () => {
  test("a sample contains one execution, which is not from the warm-up", async () => {
    const { server } = serverOf({ countedAfter: 3, execution: (n) => (n <= 2 ? 50 : 1) });
    const { steps } = await measure(server);
    expect(steps[0]?.times).toEqual([[{ rows: 1, us: [1000, 1000, 1000, 1000, 1000] }]]);
  });

  test("the time outside the models includes that of the first request", async () => {
    const execution = (n: number, whole: boolean): number => (whole && n === 1 ? 1000 : 1);
    const { server } = serverOf({ countedAfter: 3, whole: 20, execution });
    const { outside } = await measure(server);
    expect(Math.min(...outside.us)).toBeGreaterThan(18_000);
  });

  test("it is an error if the server never counts them", { timeout: 30_000 }, async () => {
    const { server } = serverOf({ countedAfter: Number.POSITIVE_INFINITY });
    await expect(measure(server)).rejects.toMatchObject({
      code: "request/unsupported",
      message: "triton 2.51.0 answers requests to `m` but does not count them in its statistics",
    });
  });
});

test("the time outside the models on an idle server contains what the models take longer there", async () => {
  // One request counts the calls; then requests without and with a pause alternate.
  const { server } = serverOf({ execution: (n, whole) => (whole && n > 1 && n % 2 === 1 ? 1500 : 1000) });
  const { outside } = await measure(server);
  expect(outside.us).toEqual(Array(5).fill(0));
  expect(outside.idle).toEqual(Array(5).fill(500_000));
});

test("the processor time outside the models is that of the server's process minus that of the executions in it", async () => {
  const { server } = serverOf({ processor: 5, execution: () => 2 });
  const { outside } = await measure(server);
  expect(outside.processor).toBeCloseTo(3000, 6);
});

test("a model in a process of its own pauses while that process has no work", async () => {
  const { server } = serverOf({ processor: 5, child: 1.5, execution: () => 2 });
  const { steps, outside } = await measure(server);
  expect(steps[0]?.times[0]?.[0]?.pause).toBeCloseTo(500, 6);
  expect(outside.processor).toBeCloseTo(3500, 6);
});

test("a model that runs in the server itself never pauses", async () => {
  const { server } = serverOf({ processor: 5, execution: () => 2 });
  const { steps } = await measure(server);
  expect(steps[0]?.times).toEqual([[{ rows: 1, us: [2000, 2000, 2000, 2000, 2000] }]]);
});

test("the machine's pace is how slow one execution after the other was", async () => {
  // The fourth to the eighth execution are measured, one in each round.
  const milliseconds = [9, 9, 9, 4, 2, 6, 2, 8];
  const { server } = serverOf({ execution: (n, whole) => (whole ? 1 : (milliseconds[n - 1] ?? 0)) });
  const { pace } = await measure(server);
  const shares = [0.5, 0.125, 0.75, 0.125, 1];
  expect(pace).toEqual(shares.map((share) => ({ us: 4000, shares: [share] })));
});

test("a model is measured in the version that the ensemble requests", async () => {
  const versionsFor = async (version: number): Promise<readonly string[]> => {
    const { server, asked } = serverOf();
    await measure(server, version);
    return [...new Set(asked)];
  };
  expect(await versionsFor(2)).toEqual(["m 2", "e latest"]);
  expect(await versionsFor(-1)).toEqual(["m latest", "e latest"]);
});
