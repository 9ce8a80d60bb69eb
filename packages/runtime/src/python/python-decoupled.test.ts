import { setTimeout as sleep } from "node:timers/promises";
import { tensorOf, valuesOf } from "@tritype/core";
import { describe, expect, test } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import { served } from "../fixtures/served.ts";
import type { Runtime, StreamedMessage } from "../runtime.ts";
import type { RuntimeOptions } from "../service.ts";

const io = `input [ { name: "X" data_type: TYPE_STRING dims: [ -1 ] } ]
output [ { name: "Y" data_type: TYPE_STRING dims: [ -1 ] } ]
`;
const decoupled = `backend: "python" ${io} model_transaction_policy { decoupled: true }\n`;

/** Runs input X; \`sender\` exists if the text uses it. */
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

const serve = async (options: Partial<RuntimeOptions> = {}, config = decoupled): Promise<Runtime> =>
  served(
    { "d/config.pbtxt": config, "d/1/model.py": obedient },
    { pythonCommand: await pythonWithNumpy(), ...options },
  );

const ask = (runtime: Runtime, order: string, signal?: AbortSignal, model = "d") =>
  runtime.stream({ model, id: "", inputs: new Map([["X", tensorOf("BYTES", [1], [order])]]) }, signal);

/** \`a b\`, then \`!\` and the text for an error, then \`.\` if it is the last. */
const shown = ({ response, error, final }: StreamedMessage): string => {
  const tensor = response?.outputs.get("Y");
  const texts = tensor === undefined ? "" : (valuesOf(tensor) as Uint8Array[]).map(String).join(" ");
  return `${error === undefined ? texts : `!${error.message}`}${final ? "." : ""}`;
};
const tell = async (runtime: Runtime, order: string, signal?: AbortSignal): Promise<readonly string[]> => {
  const messages: string[] = [];
  for await (const message of ask(runtime, order, signal)) messages.push(shown(message));
  return messages;
};

describe("a decoupled model", () => {
  test("sends any number of responses, the flag alone or with the last", async () => {
    const runtime = await serve();
    expect(
      await tell(runtime, "sender.send(text('a')); sender.send(text('b', 'c')); sender.send(flags=FINAL)"),
    ).toEqual(["a", "b c", "."]);
    expect(await tell(runtime, "sender.send(text('a'), FINAL)")).toEqual(["a."]);
    expect(await tell(runtime, "sender.send(flags=FINAL)")).toEqual(["."]);
  });

  test("ends a request whose sender it gave up, and says so", async () => {
    const notices: string[] = [];
    const runtime = await serve({ notice: (text) => void notices.push(text) });
    expect(await tell(runtime, "sender.send(text('a'))")).toEqual(["a", "."]);
    expect(await tell(runtime, "pass")).toEqual(["."]);
    expect(notices.filter((text) => text.includes("response sender is gone"))).toHaveLength(2);
  });

  test("does not end a request whose sender it keeps", async () => {
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

  test("several requests stream at once, from threads", async () => {
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

  test("a crash gives each open request one error as its end; the next is answered by a new process", async () => {
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

  test("close at once ends open requests", async () => {
    const runtime = await serve();
    const answer = tell(runtime, "sender.send(text('a')); kept.append(sender)");
    await sleep(300);
    await runtime.close(true);
    expect((await answer).at(-1)).toContain("not healthy");
  });
});
