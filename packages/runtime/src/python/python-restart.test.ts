import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import { floats, infer, refusal, served, shown } from "../fixtures/served.ts";
import type { Parameters } from "../runtime.ts";

/** Ends its process if X is -1. The next process takes 1.5 seconds to start. */
const fragile = `
import os, time
import numpy as np
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def initialize(self, args):
        used = args["model_repository"] + "/used"
        if os.path.exists(used): time.sleep(1.5)
        open(used, "w").close()
    def execute(self, requests):
        if any(request.inputs()[0].as_numpy().min() < 0 for request in requests): os._exit(1)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", request.inputs()[0].as_numpy())]) for request in requests]
`;
const io = `backend: "python" max_batch_size: 4
input [ { name: "X" data_type: TYPE_FP32 dims: [ 1 ] } ]
output [ { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] } ]
`;

test.each([
  ["no batcher", "", {}],
  ["dynamic_batching", "dynamic_batching { }", {}],
  ["direct sequences", "sequence_batching { direct { } }", { sequence_id: 1n, sequence_start: true }],
  ["oldest sequences", "sequence_batching { oldest { } }", { sequence_id: 1n, sequence_start: true }],
])("with %s, a request that waits for a restart is cancelled at once", async (_, scheduling, parameters) => {
  const runtime = await served(
    { "m/config.pbtxt": io + scheduling, "m/1/model.py": fragile },
    { pythonCommand: await pythonWithNumpy() },
  );
  const ask = (x: number, given: Parameters, signal?: AbortSignal) =>
    runtime.infer(
      { model: "m", id: "", inputs: new Map([["X", floats([1, 1], x)]]), parameters: given },
      signal,
    );
  expect(await refusal(ask(-1, parameters))).toContain("exit code 1");
  const gone = new AbortController();
  const waits = refusal(ask(1, parameters, gone.signal));
  const other = ask(2, { ...parameters, ...("sequence_id" in parameters && { sequence_id: 2n }) });
  await sleep(100);
  expect(runtime.statistics("m")[0]?.pending).toBe(2);
  gone.abort();
  expect(await Promise.race([waits, sleep(500)])).toContain("request/cancelled");
  expect(shown(await other)).toEqual({ Y: "FP32[1,1] 2" });
});

test("the queue's timeout also applies while an instance restarts", async () => {
  const hurried = "dynamic_batching { default_queue_policy { default_timeout_microseconds: 400000 } }";
  const runtime = await served(
    { "m/config.pbtxt": io + hurried, "m/1/model.py": fragile },
    { pythonCommand: await pythonWithNumpy() },
  );
  const ask = (x: number) => refusal(infer(runtime, "m", { X: floats([1, 1], x) }));
  expect(await ask(-1)).toContain("exit code 1");
  expect(await ask(1)).toContain("Request timeout expired");
  await expect.poll(() => ask(1), { timeout: 30_000 }).toBe("no error");
});
