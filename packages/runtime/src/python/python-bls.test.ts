import { tensorOf, valuesOf } from "@tritype/core";
import { describe, expect, test } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import { infer, refusal, served } from "../fixtures/served.ts";
import type { Files } from "../fixtures/temporary-repository.ts";
import type { Runtime } from "../runtime.ts";

const config = (more = ""): string => `
backend: "python"
input [ { name: "X" data_type: TYPE_STRING dims: [ -1 ] } ]
output [ { name: "Y" data_type: TYPE_STRING dims: [ -1 ] } ]
${more}`;

/**
 * Runs X as a statement that sets `answer`; "echo" is another model, and `ask(model, text)` returns a model's response.
 */
const obedient = `
import asyncio, os, threading, time
import numpy as np
import triton_python_backend_utils as pb_utils

def request(model, text):
    inputs = [pb_utils.Tensor("X", np.array([text], dtype=object))]
    return pb_utils.InferenceRequest(model_name=model, inputs=inputs, requested_output_names=["Y"])

def ask(model, text):
    response = request(model, text).exec()
    return response.error().message() if response.has_error() else response.output_tensors()[0].as_numpy()[0].decode()

class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        scope = {**globals(), "answer": ""}
        exec(request.inputs()[0].as_numpy()[0].decode(), scope)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([scope["answer"]], dtype=object))])
`;
const echo = `
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", request.inputs()[0].as_numpy())]) for request in requests]
`;

const serve = async (
  files: Files,
): Promise<{ readonly runtime: Runtime; readonly notices: readonly string[] }> => {
  const notices: string[] = [];
  const runtime = await served(files, {
    pythonCommand: await pythonWithNumpy(),
    notice: (text) => void notices.push(text),
  });
  expect(runtime.models().filter(({ state }) => state !== "READY")).toEqual([]);
  return { runtime, notices };
};
const tell = async (runtime: Runtime, model: string, order: string): Promise<string> => {
  const { outputs } = await infer(runtime, model, { X: tensorOf("BYTES", [1], [order]) });
  return String(valuesOf(outputs.get("Y") as Parameters<typeof valuesOf>[0])[0]);
};
const models: Files = {
  "m/config.pbtxt": config(),
  "m/1/model.py": obedient,
  "other/config.pbtxt": config(),
  "other/1/model.py": obedient,
  "echo/config.pbtxt": config(),
  "echo/1/model.py": echo,
};
const itself = (model: string): string =>
  `Model ${model} - Error when running inference: every instance of model '${model}' is waiting for this request, ` +
  "which needs one of them (Triton would wait forever); raise the count of its instance_group";

describe("a model that calls itself", () => {
  test("a model that calls itself directly is refused", async () => {
    const { runtime } = await serve(models);
    expect(await tell(runtime, "m", "answer = ask('m', 'pass')")).toBe(itself("m"));
    expect(await tell(runtime, "m", "answer = 'still alive'")).toBe("still alive");
  });

  test("a model that calls itself through another model is refused", async () => {
    const { runtime } = await serve(models);
    const order = `answer = ask('other', "answer = ask('m', 'pass')")`;
    expect(await tell(runtime, "m", order)).toBe(itself("m"));
  });

  test("a model that calls itself through an ensemble is refused", async () => {
    const { runtime } = await serve({
      ...models,
      "chain/config.pbtxt": config(
        'ensemble_scheduling { step [ { model_name: "m" model_version: -1 input_map { key: "X" value: "X" } output_map { key: "Y" value: "Y" } } ] }',
      ).replace('backend: "python"', 'platform: "ensemble"'),
      "chain/1/": "",
    });
    expect(await tell(runtime, "chain", "answer = ask('chain', 'pass')")).toBe(
      `in ensemble 'chain', ${itself("m").slice("Model m - Error when running inference: ".length)}`,
    );
  });

  test("a model that calls itself is answered by another instance", async () => {
    const { runtime } = await serve({ ...models, "m/config.pbtxt": config("instance_group { count: 2 }") });
    expect(await tell(runtime, "m", `answer = ask('m', "answer = 'second'")`)).toBe("second");
    const thrice = `answer = ask('m', "answer = ask('m', 'pass')")`;
    expect(await tell(runtime, "m", thrice)).toBe(itself("m"));
  });
});

test("a version that is not loaded is not ready, even if it exceeds 2^53", async () => {
  const { runtime } = await serve(models);
  const order = `answer = pb_utils.InferenceRequest(model_name="echo", model_version=2**60, inputs=[], requested_output_names=["Y"]).exec().error().message()`;
  expect(await tell(runtime, "m", order)).toBe(
    "Model echo - Error when running inference: Failed for execute the inference request. Model 'echo' is not ready.",
  );
  expect(await tell(runtime, "m", "answer = ask('echo', 'still alive')")).toBe("still alive");
});

test("forty simultaneous requests may send fifty BLS requests each", async () => {
  const { runtime } = await serve({ ...models, "m/config.pbtxt": config("instance_group { count: 2 }") });
  const order = (n: number): string => `
async def all():
    return await asyncio.gather(*(request("echo", f"${n}.{i}").async_exec() for i in range(50)))
texts = [response.output_tensors()[0].as_numpy()[0].decode() for response in asyncio.run(all())]
answer = str(texts == [f"${n}.{i}" for i in range(50)])`;
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => tell(runtime, "m", order(n))));
  expect(new Set(answers)).toEqual(new Set(["True"]));
  const [statistics] = runtime.statistics("echo");
  expect(statistics?.inference_stats.success.count).toBe(2000);
});

describe("a killed process", () => {
  test("killing a process while another model waits for it gives that model an error", async () => {
    const { runtime } = await serve(models);
    const answer = await tell(runtime, "m", "answer = ask('other', 'os._exit(3)')");
    expect(answer).toBe(
      "Stub process 'other_0' is not healthy. It ended with exit code 3 while it ran this request.",
    );
    expect(await tell(runtime, "other", "answer = 'again'")).toBe("again");
  });

  test("killing a process while it waits for another model fails only its own request", async () => {
    const { runtime, notices } = await serve(models);
    const killed = refusal(
      tell(
        runtime,
        "m",
        "threading.Timer(0.2, os._exit, [4]).start(); answer = ask('other', 'time.sleep(0.6)')",
      ),
    );
    expect(await killed).toBe(
      "model/failed: Stub process 'm_0' is not healthy. It ended with exit code 4 while it ran this request.",
    );
    expect(await tell(runtime, "other", "answer = 'at rest'")).toBe("at rest");
    expect(await tell(runtime, "m", "answer = ask('echo', 'restarted')")).toBe("restarted");
    expect(notices).toContain("[m_0] the Python process ended with exit code 4; restarting it");
  });
});

test("closing waits for a request that has not finished its calls", async () => {
  const { runtime } = await serve(models);
  const running = tell(
    runtime,
    "m",
    "time.sleep(0.3); answer = ask('other', \"answer = ask('echo', 'late')\")",
  );
  await expect.poll(() => runtime.statistics("m")[0]?.pending).toBe(0);
  await runtime.close();
  expect(await running).toBe("late");
});

test("metrics count across all instances, survive restarts of the others, and are removed with their model", async () => {
  const counting = `
import triton_python_backend_utils as pb_utils, numpy as np, os
class TritonPythonModel:
    def initialize(self, args):
        self.family = pb_utils.MetricFamily("jobs", "Jobs done", pb_utils.MetricFamily.COUNTER)
        self.metric = self.family.Metric({"of": "all"})
    def execute(self, requests):
        if requests[0].inputs()[0].as_numpy()[0] == b"die":
            os._exit(1)
        self.metric.increment(1)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([str(self.metric.value())], dtype=object))]) for _ in requests]
`;
  const { runtime } = await serve({
    "c/config.pbtxt": config("instance_group { count: 2 }"),
    "c/1/model.py": counting,
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => tell(runtime, "c", "count")));
  expect(answers).toContain("20.0");
  expect(await refusal(tell(runtime, "c", "die"))).toContain("exit code 1");
  expect(await tell(runtime, "c", "count")).toBe("21.0");
  const family = { name: "jobs", description: "Jobs done", kind: "counter" };
  expect(runtime.customMetrics()).toEqual([{ ...family, metrics: [{ labels: [["of", "all"]], value: 21 }] }]);
  await runtime.close();
  expect(runtime.customMetrics()).toEqual([]);
});
