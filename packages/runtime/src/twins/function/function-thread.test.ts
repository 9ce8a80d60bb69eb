import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { tensorOf } from "@tritype/core";
import type { FunctionCall } from "./function-messages.ts";
import { openFunctionThread } from "./function-thread.ts";

/** Returns the number of times it was called. */
const counting = "let calls = 0; export const run = () => ({ calls: ++calls });";
const counter = { dtype: "INT32", dims: ["batch", 1] } as const;

const opened = async (module: string, timeLimit: number) => {
  const options = {
    step: "count",
    per: "row",
    timeLimit,
    inputs: { x: counter },
    outputs: { calls: counter },
  } as const;
  const thread = await openFunctionThread({ module, options, places: {} });
  onTestFinished(() => thread.close());
  return thread;
};
const openCounter = () => opened(`data:text/javascript,${encodeURIComponent(counting)}`, 60_000_000);

test("a call takes only its own part of a batch to the thread", async () => {
  const sent = vi.spyOn(Worker.prototype, "postMessage");
  onTestFinished(() => sent.mockRestore());
  const thread = await openCounter();
  const data = new Uint8Array(1_000_000).subarray(4, 8);
  await thread.call({ inputs: [["x", { dtype: "INT32", shape: [1, 1], data }]], outputs: ["calls"] });
  const [{ inputs }] = sent.mock.lastCall as unknown as [FunctionCall];
  expect(inputs.map(([, tensor]) => (tensor.data as Uint8Array).buffer.byteLength)).toEqual([4]);
});

test("a call whose client disconnects before its turn is never made", async () => {
  const thread = await openCounter();
  const call = { inputs: [["x", tensorOf("INT32", [1, 1], [0])]], outputs: ["calls"] } as const;
  const gone = new AbortController();
  const first = thread.call(call);
  const abandoned = thread.call(call, gone.signal);
  const last = thread.call(call);
  gone.abort();
  const refused = { kind: "failure", code: "request/cancelled" };
  expect(await abandoned).toMatchObject(refused);
  expect(await thread.call(call, gone.signal)).toMatchObject(refused);
  const told = (calls: number) => ({
    kind: "answer",
    outputs: [["calls", tensorOf("INT32", [1, 1], [calls])]],
  });
  expect([await first, await last]).toMatchObject([told(1), told(2)]);
});

test("while the thread cannot be started again, calls fail; later ones try again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [module, aside] = [join(folder, "run.mjs"), join(folder, "aside.mjs")];
  writeFileSync(module, "export const run = ({ x }) => { while (x === 1); return { calls: x }; };");
  const thread = await opened(pathToFileURL(module).href, 300_000);
  const call = (x: number) =>
    thread.call({ inputs: [["x", tensorOf("INT32", [1, 1], [x])]], outputs: ["calls"] });
  renameSync(module, aside);
  expect(await call(1)).toMatchObject({ kind: "failure", text: "the request took longer than 0.3 s" });
  const missing = { kind: "failure", text: expect.stringContaining("Cannot find module") };
  expect([await call(2), await call(2)]).toEqual([
    expect.objectContaining(missing),
    expect.objectContaining(missing),
  ]);
  renameSync(aside, module);
  expect(await call(3)).toMatchObject({ kind: "answer" });
});
