import { PipelineError, startRuntime } from "tritype/runtime";
import { bytes, defineEnsemble, fp32, python, stream, type StreamedRun } from "tritype";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";

/** Sends each word of the text separately; `!` fails, `?` takes three seconds. */
const speaker = `
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            self.speak(request.get_response_sender(), request)

    def speak(self, sender, request):
        text = pb_utils.get_input_tensor_by_name(request, "text").as_numpy().reshape(-1)[0].decode()
        for word in text.split():
            if sender.is_cancelled():
                break
            if word == "!":
                sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError("lost the thread")))
            elif word == "?":
                time.sleep(3)
            else:
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("word", np.array([[word.encode()]], dtype=np.object_))]))
        sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;
const speak = python({
  name: "speak",
  file: "speaker.py",
  inputs: { text: bytes("batch", 1) },
  outputs: { word: bytes("batch", 1) },
  modelTransactionPolicy: { decoupled: true },
});
const words = defineEnsemble({
  name: "words",
  maxBatchSize: 1,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ word: speak({ text }).word }),
});
/** Sends 1 and 2 for each request. */
const counter = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            for number in (1, 2):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("number", np.array([[number]], np.float32))]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;
const count = python({
  name: "count",
  file: "counter.py",
  inputs: { x: fp32("batch", 1) },
  outputs: { number: fp32("batch", 1) },
  modelTransactionPolicy: { decoupled: true },
});
const doubled = defineEnsemble({
  name: "doubled",
  maxBatchSize: 1,
  inputs: { x: fp32("batch", 1) },
  run: ({ x }) => ({ twice: stream(count({ x }).number.mul(2)) }),
});

let project: ProjectFixture;
const cwd = process.cwd();
beforeAll(async () => {
  vi.stubEnv("TRITYPE_PYTHON", await pythonWithNumpy());
  project = makeProject({
    "pipeline.ts": "",
    "speaker.py": speaker,
    "counter.py": counter,
    "pipeline.config.ts": "export default {}",
  });
  process.chdir(project.root);
});
afterAll(() => {
  process.chdir(cwd);
  project?.remove();
});

type Words = Pick<StreamedRun<{ readonly word: { toArray(): readonly string[] } }>, "next" | "return">;
const read = async (run: AsyncIterable<{ readonly word: { toArray(): readonly string[] } }>) => {
  const got: string[] = [];
  try {
    for await (const { word } of run) got.push(...word.toArray());
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return [got, error.code, error.message];
  }
  return got;
};

describe("run of an ensemble that streams", () => {
  test("an ensemble may stream even if its only output comes from tensor math", async () => {
    const got: unknown[] = [];
    for await (const { twice } of doubled.run({ x: [0] })) got.push(...twice.data);
    expect(got).toEqual([2, 4]);
  });
  test("run of an ensemble gives the answers as they arrive, in every run", async () => {
    expect(await read(words.run({ text: ["a story of tokens"] }))).toEqual(["a", "story", "of", "tokens"]);
    const [one, other] = [words.run({ text: ["a b"] }), words.run({ text: ["c"] })];
    expect(await Promise.all([read(one), read(other)])).toEqual([["a", "b"], ["c"]]);
    expect(await read(words.run({ text: [""] }))).toEqual([]);
    expect(() => one[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({
        code: "usage/invalid",
        message: "the answers of `words` can only be read once",
        help: "keep them in a list, or send another request",
      }),
    );
  });

  test("an answer can be read before the next one is made, and leaving the loop cancels the run", async () => {
    const run: Words = words.run({ text: ["a ? b"] });
    expect((await run.next()).value?.word.toArray()).toEqual(["a"]);
    const began = performance.now();
    const waiting = run.next();
    expect(await run.return()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    // The model sleeps for three seconds.
    expect(performance.now() - began).toBeLessThan(2000);
    for await (const { word } of words.run({ text: ["a b c"] })) if (word.toArray().includes("b")) break;
    expect(await words.run({ text: ["never"] }).return()).toEqual({ done: true, value: undefined });
  });

  test("an error mid-stream is thrown in the loop, at the line of the call", async () => {
    expect(await read(words.run({ text: ["a ! b"] }))).toEqual([
      ["a"],
      "model/failed",
      expect.stringContaining("lost the thread"),
    ]);
    const error = await words
      .run({ text: [1] as never })
      .next()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "request/invalid" });
    expect((error as Error).stack).toContain("stream.test.ts");
  });

  test("awaiting a run that streams is an error that says how to read the answers", async () => {
    const promised: Promise<unknown> = Promise.resolve(words.run({ text: ["a"] }) as never);
    await expect(promised).rejects.toMatchObject({
      code: "usage/invalid",
      message: "`words` streams, so its run cannot be awaited: it may have any number of answers",
      help: "read them as they arrive: for await (const answer of words.run(inputs))",
    });
  });

  test("a runtime streams by definition and by name, until its signal is aborted", async () => {
    await using runtime = await startRuntime({ ensembles: [words] });
    expect(await read(runtime.run(words, { text: ["a b"] }))).toEqual(["a", "b"]);
    expect(await read(runtime.stream(words, { text: ["a b"] }))).toEqual(["a", "b"]);
    const byName: unknown[] = [];
    for await (const { word } of runtime.stream("speak", { text: ["a b"] })) byName.push(word?.toArray());
    expect(byName).toEqual([["a"], ["b"]]);
    const once = runtime.stream("speak", { text: ["a"] });
    for await (const { word } of once) expect(structuredClone(word)?.data).toEqual(["a"]);
    expect(() => once[Symbol.asyncIterator]()).toThrow("the answers of `speak` can only be read once");
    await expect(runtime.run("words", { text: ["a"] })).rejects.toMatchObject({
      code: "usage/invalid",
      message: expect.stringContaining('for await (const answer of runtime.stream("words", inputs))'),
    });
    const controller = new AbortController();
    const run = runtime.run(words, { text: ["a ? b"] }, { signal: controller.signal });
    await run.next();
    controller.abort();
    await expect(run.next()).rejects.toMatchObject({ code: "request/cancelled" });
  });
});
