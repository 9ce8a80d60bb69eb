import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { tensorOf } from "@tritype/core";
import { openFunctionThread } from "./function-thread.ts";

/** Returns the number of times it was called. */
const counting = "let calls = 0; export const run = () => ({ calls: ++calls });";
const counter = { dtype: "INT32", dims: ["batch", 1] } as const;

test("a call whose client disconnects before its turn is never made", async () => {
  const thread = await openFunctionThread({
    module: `data:text/javascript,${encodeURIComponent(counting)}`,
    options: {
      step: "count",
      per: "row",
      timeLimit: 60_000_000,
      inputs: { x: counter },
      outputs: { calls: counter },
    },
    places: {},
  });
  onTestFinished(() => thread.close());
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
  const thread = await openFunctionThread({
    module: pathToFileURL(module).href,
    options: {
      step: "count",
      per: "row",
      timeLimit: 300_000,
      inputs: { x: counter },
      outputs: { calls: counter },
    },
    places: {},
  });
  onTestFinished(() => thread.close());
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
