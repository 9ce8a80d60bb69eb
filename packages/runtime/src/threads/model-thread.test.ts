import { expect, test } from "vitest";
import { openModelThread } from "./model-thread.ts";

const echo = `data:text/javascript,${encodeURIComponent(`
import { parentPort } from "node:worker_threads";
const answers = {
  open: () => ({ kind: "ready" }),
  stop: () => ({ kind: "released" }),
  run: ({ id }) => ({ kind: "answers", answers: [{ id }] }),
};
parentPort.on("message", (message) => parentPort.postMessage(answers[message.kind](message)));`)}`;

test("a request that follows the last one before the model is released is refused", async () => {
  const open = () =>
    openModelThread<{ kind: "run"; id: number }, { id: number }>(echo, import.meta.url, {}, "it has ended");
  const thread = await open();
  const ask = ({ ask: send, post }: typeof thread) => send((id) => post({ kind: "run", id }));
  const first = ask(thread);
  const closed = thread.close();
  const second = first.then(() => ask(thread));
  await expect(second).rejects.toThrow("it has ended");
  await closed;
  // The next model gets the thread, and no answers to earlier requests.
  const next = await open();
  expect(await ask(next)).toEqual({ id: 0 });
  await next.close();
});
