import { setTimeout as sleep } from "node:timers/promises";
import { type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { expect, onTestFinished, test } from "vitest";
import { ofOne, versionFolder } from "../../../node-host/src/fixtures/version-folder.ts";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import { systemClock } from "../scheduling/clock.ts";
import { createDefaultScheduler } from "../scheduling/default-scheduler.ts";
import { loadNodeTwin } from "./node-twin.ts";

/** Returns its process id, and ends its process for 7. */
const code = `export const run = ({ x }) => {
  if (x === 7) process.kill(process.pid, "SIGKILL");
  return { y: process.pid };
};
`;

const served = async (count: number): Promise<{ readonly model: LoadedModel; readonly infer: Infer }> => {
  const folder = await versionFolder(code, ofOne);
  const config = { name: "m", max_batch_size: 8, instance_group: [{ count, kind: "KIND_CPU" as const }] };
  const version = { name: "m", version: "1", folder, versionFolder: folder, config };
  const model = await loadNodeTwin(ofOne, version, () => {}, undefined);
  onTestFinished(() => model.close());
  const scheduler = createDefaultScheduler({ model, config, clock: systemClock, observer: {} });
  return {
    model,
    infer: (x, signal) => scheduler.infer({ ...request, inputs: new Map([["x", row(x)]]), signal }),
  };
};
type Infer = (x: number, signal?: AbortSignal) => Promise<ModelResult>;
const request: Omit<ModelRequest, "inputs"> = { id: "", outputs: ["y"], parameters: {} };
const row = (x: number): TensorData => tensorOf("INT32", [1, 1], [x]);
const pidIn = (result: ModelResult): unknown =>
  "error" in result ? result.error.message : valuesOf(result.outputs.get("y") ?? row(0))[0];

test("while one process restarts, requests go to the others", async () => {
  const { model, infer } = await served(2);
  const pids = model.processes?.().map(({ pid }) => pid);
  expect(pidIn(await infer(7))).toContain("Node was killed by SIGKILL");
  expect(pids).toContain(pidIn(await infer(1)));
});

test("a request that waits for the only process can be cancelled", async () => {
  const { infer } = await served(1);
  // After each crash in a row, the pause before the next start is longer.
  for (let n = 0; n < 5; n++) expect(pidIn(await infer(7))).toContain("Node was killed by SIGKILL");
  const gone = new AbortController();
  const waits = infer(1, gone.signal);
  const other = infer(2);
  await sleep(50);
  gone.abort();
  expect(await Promise.race([waits, sleep(300)])).toMatchObject({ error: { code: "request/cancelled" } });
  expect(pidIn(await other)).toEqual(expect.any(Number));
});
