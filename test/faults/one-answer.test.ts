import { join } from "node:path";
import { Client, credentials } from "@grpc/grpc-js";
import { tensorOf } from "@tritype/core";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { serveGrpc, serveHttp } from "@tritype/server";
import { expect, test } from "vitest";
import {
  addModel,
  configText,
  ensembleFiles,
  fp32,
  rowFiles,
} from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { type Files, writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { installJudge, installTime, temporaryFolder } from "../triton/judge.ts";
import { createMutator } from "./mutate-bytes.ts";

/** `TRITYPE_LOAD=long`: all 1,500. */
const requests = process.env["TRITYPE_LOAD"] === "long" ? 1500 : 500;
const row = { maxBatchSize: 8, inputs: [fp32("X", 1)], outputs: [fp32("Y", 1)] };

/** Kills its process for values of 13 and above, and takes a moment for all others. */
const mortal = `
import os
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        inputs = [pb_utils.get_input_tensor_by_name(request, "X").as_numpy() for request in requests]
        if any(values.max() >= 13 for values in inputs):
            os._exit(1)
        time.sleep(0.003)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", values + 1)]) for values in inputs]
`;
const repositoryFiles = (amount: number): Files => ({
  ...rowFiles("next", addModel(amount, "batch", 1), 1),
  "mortal/config.pbtxt": `backend: "python"\n${configText("mortal", {
    ...row,
    extra: "dynamic_batching { } instance_group { count: 2 kind: KIND_CPU }",
  })}`,
  "mortal/1/model.py": mortal,
  ...ensembleFiles("both", row, "mortal: X=X Y=mid", "next: X=mid Y=Y"),
});

/** Counts the requests that enter a runtime, and how often each of them ends. */
const counted = (runtime: Runtime) => {
  const counts = { accepted: 0, ended: 0, internal: [] as unknown[] };
  const infer: Runtime["infer"] = (request, signal) => {
    counts.accepted++;
    const answer = runtime.infer(request, signal);
    void answer.then(
      () => counts.ended++,
      () => counts.ended++,
    );
    return answer;
  };
  // Inherits from the runtime instead of copying it, because its members may be getters.
  return { counts, runtime: Object.create(runtime, { infer: { value: infer } }) as Runtime };
};

test(
  "every request has exactly one answer, while processes die, clients disconnect and models are reloaded",
  async () => {
    const folder = await temporaryFolder();
    const repository = join(folder.path, "model_repository");
    writeFiles(repository, repositoryFiles(1));
    const { python: pythonCommand } = await installJudge();
    const inner = await startRuntime({
      repository,
      device: "cpu",
      python: "always",
      notice: () => {},
      pythonCommand,
    });
    const { runtime, counts } = counted(inner);
    const onInternalError = (error: unknown): void => void counts.internal.push(error);
    const http = await serveHttp(runtime, { port: 0, onInternalError });
    const grpc = await serveGrpc(runtime, { port: 0, onInternalError });
    const client = new Client(grpc.address, credentials.createInsecure());
    const { number, pick } = createMutator(7);
    const outcomes = new Map<string, number>();
    const outcome = (what: string): void => void outcomes.set(what, (outcomes.get(what) ?? 0) + 1);

    const overHttp = async (model: string, id: string, value: number, leaves: boolean): Promise<void> => {
      const gone = new AbortController();
      const timer = leaves ? setTimeout(() => gone.abort(), number(20)) : undefined;
      try {
        const reply = await fetch(`${http.url}/v2/models/${model}/infer`, {
          method: "POST",
          body: JSON.stringify({
            id,
            inputs: [{ name: "X", datatype: "FP32", shape: [1, 1], data: [value] }],
          }),
          signal: gone.signal,
        });
        const answer = (await reply.json()) as {
          readonly id?: string;
          readonly outputs?: readonly { readonly data: readonly number[] }[];
        };
        if (reply.status === 200) {
          expect(answer.id).toBe(id);
          expect([1, 2, 3]).toContain((answer.outputs?.[0]?.data[0] ?? 0) - value);
        }
        outcome(`HTTP ${reply.status}`);
      } catch (error) {
        if (!gone.signal.aborted) throw error;
        outcome("HTTP left");
      } finally {
        clearTimeout(timer);
      }
    };

    const { path, request, response } = grpcMethod("ModelInfer");
    const overGrpc = (model: string, id: string, value: number, leaves: boolean): Promise<void> =>
      new Promise((resolve, reject) => {
        let answers = 0;
        const inputs = new Map([["X", tensorOf("FP32", [1, 1], [value])]]);
        const call = client.makeUnaryRequest(
          path,
          (message: object) => Buffer.from(request.encode(message)),
          (bytes: Buffer) => response.decode(bytes) as { readonly id: string },
          grpcInferRequest({ model, id, inputs }),
          (error, answer) => {
            if (++answers > 1 || (answer !== undefined && answer.id !== id))
              reject(new Error(`${id}: ${answers}`));
            outcome(`gRPC ${error?.code ?? 0}`);
            resolve();
          },
        );
        if (leaves) setTimeout(() => call.cancel(), number(20));
      });

    let asked = 0;
    const work = async (): Promise<void> => {
      while (asked < requests) {
        const id = `r${asked++}`;
        const value = number(60) === 0 ? 13 : number(10);
        await pick([overHttp, overGrpc])(pick(["next", "mortal", "both"]), id, value, number(8) === 0);
      }
    };
    const done = new AbortController();
    const reload = async (): Promise<number> => {
      let times = 0;
      for (; !done.signal.aborted; times++) {
        writeFiles(repository, repositoryFiles(1 + (times % 2)));
        await runtime.reload();
      }
      return times;
    };
    const reloading = reload();
    await Promise.all(Array.from({ length: 24 }, work));
    done.abort();
    expect(await reloading).toBeGreaterThan(1);
    await Promise.all([http.close(), grpc.close()]);
    client.close();
    expect(counts.ended).toBe(counts.accepted);
    expect(counts.internal).toEqual([]);
    expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(requests);
    for (const what of ["HTTP 200", "HTTP 500", "HTTP left", "gRPC 0", "gRPC 13", "gRPC 1"])
      expect([what, outcomes.get(what) ?? 0]).not.toEqual([what, 0]);
    for (const { name, pending } of inner.statistics()) expect([name, pending]).toEqual([name, 0]);
    await inner.close();
    await folder.remove();
  },
  installTime,
);
