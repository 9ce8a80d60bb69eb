import { setTimeout as sleep } from "node:timers/promises";
import { tensorOf, valuesOf } from "@tritype/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import { reasonOf, served } from "../fixtures/served.ts";
import type { Runtime, StreamedMessage } from "../runtime.ts";
import type { Files } from "../fixtures/temporary-repository.ts";
import type { RuntimeOptions } from "../service.ts";

const io = `input [ { name: "X" data_type: TYPE_STRING dims: [ -1 ] } ]
output [ { name: "Y" data_type: TYPE_STRING dims: [ -1 ] } ]
`;
const decoupled = `backend: "python" ${io} model_transaction_policy { decoupled: true }\n`;

/** Runs input X; \`sender\` is only defined if the text uses it. */
const obedient = `
import gc, os, threading, time
import numpy as np
import triton_python_backend_utils as pb_utils
FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
kept = []
def text(*values):
    return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(values, dtype=object))])
def attempt(action):
    try:
        return str(action())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            order = request.inputs()[0].as_numpy().flatten()[0].decode()
            scope = {**globals(), "request": request}
            if "sender" in order:
                scope["sender"] = request.get_response_sender()
            exec(order, scope)
        return scope.get("returned")
`;

const serveFiles = async (files: Files, options: Partial<RuntimeOptions> = {}): Promise<Runtime> => {
  const runtime = await served(files, { pythonCommand: await pythonWithNumpy(), ...options });
  // A failed test may leave a stream open.
  onTestFinished(() => runtime.close(true));
  return runtime;
};
const serve = (options: Partial<RuntimeOptions> = {}, config = decoupled): Promise<Runtime> =>
  serveFiles({ "d/config.pbtxt": config, "d/1/model.py": obedient }, options);

const ask = (runtime: Runtime, order: string, signal?: AbortSignal, model = "d") =>
  runtime.stream({ model, id: "", inputs: new Map([["X", tensorOf("BYTES", [1], [order])]]) }, signal);

/** \`a b\`, then \`!\` and the text for an error, then \`.\` if it is the last one. */
const shown = ({ response, error, final }: StreamedMessage): string => {
  const tensor = response?.outputs.get("Y");
  const texts = tensor === undefined ? "" : valuesOf(tensor).map(String).join(" ");
  return `${error === undefined ? texts : `!${error.message}`}${final ? "." : ""}`;
};
const tell = async (
  runtime: Runtime,
  order: string,
  signal?: AbortSignal,
  model?: string,
): Promise<readonly string[]> => {
  const messages: string[] = [];
  for await (const message of ask(runtime, order, signal, model)) messages.push(shown(message));
  return messages;
};

describe("a decoupled model", () => {
  test("a decoupled model sends any number of responses, with the final flag on its own or on the last response", async () => {
    const runtime = await serve();
    expect(
      await tell(runtime, "sender.send(text('a')); sender.send(text('b', 'c')); sender.send(flags=FINAL)"),
    ).toEqual(["a", "b c", "."]);
    expect(await tell(runtime, "sender.send(text('a'), FINAL)")).toEqual(["a."]);
    expect(await tell(runtime, "sender.send(flags=FINAL)")).toEqual(["."]);
  });

  test("a request whose sender was dropped ends with an error, and this is reported", async () => {
    const notices: string[] = [];
    const runtime = await serve({ notice: (text) => void notices.push(text) });
    const ended = expect.stringMatching(
      /deleted the response sender of a request without marking a response/,
    );
    expect(await tell(runtime, "sender.send(text('a'))")).toEqual(["a", ended]);
    expect(await tell(runtime, "pass")).toEqual([ended]);
    expect(notices.filter((text) => text.includes("deleted the response sender"))).toEqual([ended, ended]);
  });

  test("a request does not end while the model keeps its sender", async () => {
    const runtime = await serve();
    const reader = ask(runtime, "sender.send(text('a')); kept.append(sender)")[Symbol.asyncIterator]();
    expect(shown((await reader.next()).value)).toBe("a");
    const next = reader.next();
    expect(await Promise.race([next, sleep(300)])).toBeUndefined();
    expect(await tell(runtime, "kept.pop().send(text('late'), FINAL); sender.send(flags=FINAL)")).toEqual([
      ".",
    ]);
    expect(shown((await next).value)).toBe("late.");
    expect((await reader.next()).done).toBe(true);
  });

  test("several requests stream at the same time, from different threads", async () => {
    const runtime = await serve();
    const slow = `
def go(sender):
    for n in range(3):
        time.sleep(0.1); sender.send(text(str(n)))
    sender.send(flags=FINAL)
threading.Thread(target=go, args=(sender,)).start()`;
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 8 }, () => tell(runtime, slow)));
    expect(answers).toEqual(Array.from({ length: 8 }, () => ["0", "1", "2", "."]));
    expect(performance.now() - started).toBeLessThan(8 * 300);
  });

  test("a crash ends each open request with one error; the next request is answered by a new process", async () => {
    const runtime = await serve();
    const waiting = Array.from({ length: 4 }, () =>
      tell(runtime, "sender.send(text('a')); kept.append(sender)"),
    );
    await sleep(300);
    const died = await tell(runtime, "sender.send(text('b')); os._exit(3)");
    const end = "!Stub process 'd_0' is not healthy. It ended with exit code 3 while it ran this request..";
    expect(died).toEqual(["b", end]);
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 4 }, () => ["a", end]));
    expect(await tell(runtime, "sender.send(text('c'), FINAL)")).toEqual(["c."]);
  });

  test("an unload waits for open requests", async () => {
    const runtime = await serve({ control: { kind: "explicit", load: ["d"] } });
    const reader = ask(
      runtime,
      `
def go(sender):
    time.sleep(0.5); sender.send(text('late'), FINAL)
threading.Thread(target=go, args=(sender,)).start()
sender.send(text('a'))`,
    )[Symbol.asyncIterator]();
    expect(shown((await reader.next()).value)).toBe("a");
    await runtime.unload("d");
    expect(runtime.modelReady("d")).toBe(false);
    expect(shown((await reader.next()).value)).toBe("late.");
  });

  test("an immediate close ends open requests", async () => {
    const runtime = await serve();
    const answer = tell(runtime, "sender.send(text('a')); kept.append(sender)");
    await sleep(300);
    await runtime.close(true);
    expect((await answer).at(-1)).toContain("not healthy");
  });
});

describe("a reader", () => {
  /** Sends `count` texts of `size` bytes from a thread, and records how many were sent or how the thread ended. */
  const flood = (count: number, size: number): string => `
def go(sender, request):
    kept.append(0)
    for n in range(${count}):
        if sender.is_cancelled():
            kept.append(f"cancelled {request.is_cancelled()} {attempt(lambda: sender.send(flags=FINAL))}")
            return
        sender.send(text("x" * ${size})); kept[0] += 1
    sender.send(flags=FINAL)
threading.Thread(target=go, args=(sender, request)).start()`;
  const kept = async (runtime: Runtime): Promise<string> =>
    (await tell(runtime, "sender.send(text(*map(str, kept)), FINAL)")).join();

  test.each([
    ["eight small responses", 10, 8],
    ["a megabyte of large ones", 300_000, 3],
    ["one that is larger than that", 2_000_000, 1],
  ])("a reader that does not read makes the model wait after %s", async (_, size, ahead) => {
    const runtime = await serve();
    const reader = ask(runtime, flood(40, size))[Symbol.asyncIterator]();
    await reader.next();
    await expect.poll(() => kept(runtime)).toBe(`${ahead + 1}.`);
    await sleep(200);
    expect(await kept(runtime)).toBe(`${ahead + 1}.`);
    let rest = 0;
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) rest++;
    expect(rest).toBe(40);
  });

  test("memory is bounded when 40 clients each leave 2 GB unread", async () => {
    const runtime = await serve();
    const before = process.memoryUsage().arrayBuffers;
    const readers = Array.from({ length: 40 }, () =>
      ask(runtime, flood(100, 500_000))[Symbol.asyncIterator](),
    );
    await Promise.all(readers.map((reader) => reader.next()));
    await sleep(500);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * 2 * 1024 * 1024);
    for (const reader of readers) await reader.return?.();
  });

  test.each<[string, (reader: AsyncIterator<StreamedMessage>, abort: AbortController) => unknown]>([
    ["leaves", (reader) => reader.return?.()],
    ["leaves while it waits", (reader) => Promise.all([reader.next(), reader.return?.()])],
    ["is aborted", (_, abort) => abort.abort()],
  ])("a reader that %s cancels the request, even while the model waits for it", async (_, leave) => {
    const runtime = await serve();
    const abort = new AbortController();
    const reader = ask(runtime, flood(1000, 100), abort.signal)[Symbol.asyncIterator]();
    await reader.next();
    await sleep(100);
    await leave(reader, abort);
    await expect.poll(() => kept(runtime)).toMatch(/^[0-9]+ cancelled True None\.$/);
  });

  test("an aborted stream ends with an error", async () => {
    const runtime = await serve();
    const abort = new AbortController();
    const messages = tell(runtime, "sender.send(text('a')); kept.append(sender)", abort.signal);
    setTimeout(() => abort.abort(), 300);
    expect(await messages).toEqual(["a", "![request id: <id_unknown>] Request was cancelled."]);
    expect(await tell(runtime, "sender.send(flags=FINAL)", abort.signal)).toEqual([
      "![request id: <id_unknown>] Request was cancelled.",
    ]);
  });

  test("a thousand simultaneous readers each receive every message", async () => {
    const runtime = await serve();
    const readers = Array.from({ length: 1000 }, () =>
      ask(runtime, "sender.send(text('a')); kept.append(sender)")[Symbol.asyncIterator](),
    );
    await Promise.all(readers.map((reader) => reader.next()));
    await tell(runtime, "for s in kept: s.send(text('b')); s.send(flags=FINAL)\nsender.send(flags=FINAL)");
    for (const reader of readers) {
      expect(shown((await reader.next()).value)).toBe("b");
      expect(shown((await reader.next()).value)).toBe(".");
    }
  });
});

describe("a model that calls a decoupled one", () => {
  const asking = obedient
    .replace("exec(order, scope)", "exec(order, scope); answers.append(text(*scope['answers']))")
    .replace("for request in requests:", "answers = []\n        for request in requests:")
    .replace('return scope.get("returned")', "return answers");
  const serveBoth = (): Promise<Runtime> =>
    serveFiles({
      "d/config.pbtxt": decoupled,
      "d/1/model.py": obedient,
      "b/config.pbtxt": `backend: "python" ${io}`,
      "b/1/model.py": asking,
    });
  const prelude = `
def call(order):
    inputs = [pb_utils.Tensor("X", np.array([order], dtype=object))]
    return pb_utils.InferenceRequest(model_name="d", inputs=inputs, requested_output_names=["Y"]).exec(decoupled=True)
def tell(response):
    return str([t.as_numpy()[0].decode() for t in response.output_tensors()] or response.error() and response.error().message())
`;
  const asked = async (runtime: Runtime, order: string): Promise<string> =>
    (await tell(runtime, prelude + order, undefined, "b")).join();

  test("a caller gets a decoupled model's responses as they arrive, and errors that Triton 24.10 drops", async () => {
    const runtime = await serveBoth();
    const order = `"sender.send(text('a')); time.sleep(0.4); sender.send(pb_utils.InferenceResponse([], pb_utils.TritonError('oops'))); sender.send(text('b'), FINAL)"`;
    expect(
      await asked(
        runtime,
        `start = time.time(); it = call(${order}); first = tell(next(it)); early = time.time() - start < 0.3; answers = [str(early), first, *map(tell, it)]`,
      ),
    ).toBe("True ['a'] oops ['b'].");
  });

  test("a caller can make a decoupled model wait, and leave it", async () => {
    const runtime = await serveBoth();
    const order = JSON.stringify(`
def go(sender):
    kept.append(0)
    for n in range(1000):
        if sender.is_cancelled():
            sender.send(text("bye"), FINAL); return
        sender.send(text(str(n))); kept[0] += 1
threading.Thread(target=go, args=(sender,)).start()`);
    expect(
      await asked(
        runtime,
        `it = call(${order}); next(it); time.sleep(0.5); count = lambda: tell(next(call("sender.send(text(str(kept[0])), FINAL)"))); sent = count(); del it; count(); time.sleep(0.5); left = count(); time.sleep(0.5); answers = [str(int(sent[2:-2]) < 40), str(count() == left)]`,
      ),
    ).toBe("True True.");
  });

  test("a coroutine that waits for a decoupled model's first response lets other requests call too", async () => {
    const runtime = await serveFiles({
      "d/config.pbtxt": decoupled,
      "d/1/model.py": obedient,
      "a/config.pbtxt": decoupled,
      "a/1/model.py": `
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    async def execute(self, requests):
        for request in requests:
            call = pb_utils.InferenceRequest(model_name="d", inputs=request.inputs(), requested_output_names=["Y"])
            for response in await call.async_exec(decoupled=True):
                request.get_response_sender().send(response)
            request.get_response_sender().send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`,
    });
    const order =
      "kept.append(sender)\nif len(kept) == 3:\n    for one in kept: one.send(text('all are here'), FINAL)";
    const told = await Promise.all(Array.from({ length: 3 }, () => tell(runtime, order, undefined, "a")));
    expect(told.map((messages) => messages.join(" "))).toEqual(Array<string>(3).fill("all are here ."));
  });

  test("a call is cancelled when its iterator is dropped", async () => {
    const runtime = await serveBoth();
    const order = JSON.stringify(`
def go(sender):
    while not sender.is_cancelled(): sender.send(text("more"))
    kept.append("cancelled"); sender.send(flags=FINAL)
threading.Thread(target=go, args=(sender,)).start()`);
    expect(await asked(runtime, `answers = [tell(next(call(${order})))]`)).toBe("['more'].");
    await expect.poll(() => tell(runtime, "sender.send(text(*kept), FINAL)")).toEqual(["cancelled."]);
  });
});

describe("a stream from a model that is not decoupled", () => {
  const plain = `backend: "python" ${io}`;
  test("a stream from a model that is not decoupled has one message, even for an error; a refused request throws", async () => {
    const runtime = await serve({}, plain);
    expect(await tell(runtime, "returned = [text('a')]")).toEqual(["a."]);
    expect((await tell(runtime, "raise ValueError('no')")).join()).toMatch(
      /^!Failed to process .*ValueError: no/,
    );
    const refused = runtime.stream({ model: "d", id: "", inputs: new Map() })[Symbol.asyncIterator]();
    await expect(refused.next()).rejects.toThrow("expected 1 inputs but got 0");
    await expect(
      runtime.stream({ model: "e", id: "", inputs: new Map() })[Symbol.asyncIterator]().next(),
    ).rejects.toThrow("'e' is not found");
  });

  test("infer refuses a decoupled model", async () => {
    const runtime = await serve();
    await expect(
      runtime.infer({ model: "d", id: "", inputs: new Map([["X", tensorOf("BYTES", [1], ["pass"])]]) }),
    ).rejects.toMatchObject({
      code: "request/unsupported",
      message: expect.stringContaining("is decoupled"),
    });
  });
});

test("the warmup of a decoupled model waits for the last message, and fails on an error", async () => {
  const sample = (order: string): Buffer => {
    const bytes = Buffer.from(order);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const warm = (order: string): Promise<Runtime> =>
    serveFiles({
      "d/config.pbtxt": `${decoupled} model_warmup [ { name: "s" batch_size: 1 inputs { key: "X" value { data_type: TYPE_STRING dims: [ 1 ] input_data_file: "order" } } } ]`,
      "d/1/model.py": obedient,
      "d/warmup/order": sample(order),
    });
  const slow = await warm(`
def go(sender):
    for n in range(20): sender.send(text("a"))
    time.sleep(0.3); kept.append("warm"); sender.send(flags=FINAL)
threading.Thread(target=go, args=(sender,)).start()`);
  expect(await tell(slow, "sender.send(text(*kept), FINAL)")).toEqual(["warm."]);
  const failing = await warm(
    "sender.send(pb_utils.InferenceResponse([], pb_utils.TritonError('oops'))); sender.send(flags=FINAL)",
  );
  expect(reasonOf(failing, "d")).toBe("failed to run warmup sample 's': oops;");
});
