import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import { tensorOf } from "@tritype/core";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { type GrpcServer, type HttpServer, serveGrpc, serveHttp, serveMetrics } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configText, ensembleFiles } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { installTime, type Judged, judgeFiles } from "./judge.ts";
import { sendRaw } from "./raw-request.ts";

const slow = `
import time
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        time.sleep(1.5)
        inputs = [pb_utils.get_input_tensor_by_name(request, "X") for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", tensor.as_numpy())]) for tensor in inputs]
`;
const ports = {
  inputs: [{ name: "X", dtype: "INT32", dims: [1] }],
  outputs: [{ name: "Y", dtype: "INT32", dims: [1] }],
} as const;
const slowFiles = (name: string, extra = ""): Files => ({
  [`${name}/config.pbtxt`]: `backend: "python"\n${configText(name, { ...ports, extra })}`,
  [`${name}/1/model.py`]: slow,
});

let judged: Judged;
let grpc: GrpcServer;
let http: HttpServer;
let metrics: HttpServer;
beforeAll(async () => {
  judged = await judgeFiles({
    ...slowFiles("slow"),
    ...slowFiles("batched", "dynamic_batching { }"),
    ...slowFiles("first"),
    ...slowFiles("second"),
    ...ensembleFiles("both", ports, "first: X=X Y=mid", "second: X=mid Y=Y"),
  });
  grpc = await serveGrpc(judged.local, { port: 0 });
  http = await serveHttp(judged.local, { port: 0 });
  metrics = await serveMetrics(judged.local, { port: 0 });
}, installTime);
afterAll(async () => {
  await Promise.all([grpc?.close(), http?.close(), metrics?.close()]);
  await judged?.stop();
});

/** A model's counts of successes, failures and executions. */
const counts = async (url: string, metricsUrl: string, model: string): Promise<Counts> => {
  const { body } = await sendRaw(url, { path: `/v2/models/${model}/stats` });
  const [one] = (JSON.parse(body.toString()) as Statistics).model_stats;
  const metrics = await (await fetch(metricsUrl)).text();
  const line = new RegExp(`^nv_inference_request_failure.*"${model}",reason="CANCELED".* (\\d+)$`, "m");
  return {
    executions: one?.execution_count ?? 0,
    success: one?.inference_stats.success.count ?? 0,
    fail: one?.inference_stats.fail.count ?? 0,
    cancelled: Number(line.exec(metrics)?.[1] ?? 0),
  };
};
interface Counts {
  readonly executions: number;
  readonly success: number;
  readonly fail: number;
  readonly cancelled: number;
}
interface Statistics {
  readonly model_stats: readonly {
    readonly execution_count: number;
    readonly inference_stats: Readonly<Record<"success" | "fail", { readonly count?: number }>>;
  }[];
}

/** Sends requests to one model, and cancels those after a given position while the first is running. */
const cancelSome = async (
  address: string,
  model: string,
  { requests, from }: { readonly requests: number; readonly from: number },
): Promise<readonly number[]> => {
  const client = new Client(address, credentials.createInsecure());
  const { path, request, response } = grpcMethod("ModelInfer");
  const message = grpcInferRequest({
    model,
    id: "",
    inputs: new Map([["X", tensorOf("INT32", [1], [7])]]),
  });
  const calls = Array.from({ length: requests }, () => {
    let cancel = (): void => {};
    const code = new Promise<number>((resolve) => {
      const call = client.makeUnaryRequest(
        path,
        (one: object) => Buffer.from(request.encode(one)),
        response.decode,
        message,
        (error) => resolve(error?.code ?? 0),
      );
      cancel = () => call.cancel();
    });
    return { code, cancel };
  });
  await sleep(700);
  for (const { cancel } of calls.slice(from)) cancel();
  const codes = await Promise.all(calls.map(({ code }) => code));
  client.close();
  return codes;
};

const ours = (model: string): Promise<Counts> => counts(http.url, `${metrics.url}/metrics`, model);
const theirs = (model: string): Promise<Counts> =>
  counts(judged.triton.httpUrl, judged.triton.metricsUrl, model);

test("a request cancelled in a batcher's queue counts as failed and cancelled, in Triton and locally", async () => {
  const some = { requests: 8, from: 1 };
  const codes = await Promise.all(
    [judged.triton.grpcAddress, grpc.address].map((address) => cancelSome(address, "batched", some)),
  );
  expect(codes[1]).toEqual(codes[0]);
  for (const ask of [ours, theirs]) {
    await expect
      .poll(
        async () => {
          const { success, fail } = await ask("batched");
          return success + fail;
        },
        { timeout: 10_000 },
      )
      .toBe(8);
    const { success, executions, fail, cancelled } = await ask("batched");
    expect(cancelled).toBe(fail);
    expect(executions).toBe(success);
    expect(fail).toBeGreaterThan(0);
  }
  // Triton has already passed some requests to the instance.
  expect(await ours("batched")).toEqual({ executions: 1, success: 1, fail: 7, cancelled: 7 });
}, 60_000);

test("without a batcher, cancelled requests also leave the queue, although Triton runs all of them", async () => {
  await cancelSome(grpc.address, "slow", { requests: 4, from: 1 });
  expect(await ours("slow")).toEqual({ executions: 1, success: 1, fail: 3, cancelled: 3 });
});

test("a cancelled ensemble runs no further step, although Triton continues", async () => {
  await cancelSome(grpc.address, "both", { requests: 1, from: 0 });
  await expect.poll(() => ours("both"), { timeout: 10_000 }).toMatchObject({ success: 0, fail: 2 });
  expect(await ours("first")).toMatchObject({ executions: 1, success: 1 });
  expect(await ours("second")).toMatchObject({ executions: 0, success: 0, fail: 0 });
});

test("a request of a disconnected HTTP client leaves the queue", async () => {
  const before = await ours("slow");
  const body = JSON.stringify({ inputs: [{ name: "X", datatype: "INT32", shape: [1], data: [1] }] });
  const ask = (signal?: AbortSignal): Promise<unknown> =>
    fetch(`${http.url}/v2/models/slow/infer`, { method: "POST", body, ...(signal && { signal }) });
  const gone = new AbortController();
  const first = ask();
  const left = [ask(gone.signal), ask(gone.signal)].map((one) => expect(one).rejects.toThrow(/abort/));
  await sleep(700);
  gone.abort();
  await Promise.all([first, ...left]);
  const { executions, success, fail, cancelled } = before;
  await expect
    .poll(() => ours("slow"), { timeout: 10_000 })
    .toEqual({
      executions: executions + 1,
      success: success + 1,
      fail: fail + 2,
      cancelled: cancelled + 2,
    });
});
