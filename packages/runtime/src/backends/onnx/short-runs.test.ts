import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DType } from "@tritype/core";
import { expect, onTestFinished, test } from "vitest";
import { identityModel } from "../../fixtures/onnx-models.ts";
import { runSession } from "./run-session.ts";
import { prepareShortRuns, type ShortRuns } from "./short-runs.ts";
import type { SessionRun, TravellingTensor } from "./worker-messages.ts";

/** The real outputs, in the same time on every machine. */
const quickly: typeof runSession = async (...given) => ({ ...(await runSession(...given)), took: 20 });

/** The short runs of a model Y = X in a folder of its own. */
const opened = async (
  isIdle: () => boolean = () => false,
): Promise<{
  readonly runs: ShortRuns;
  readonly folder: string;
  readonly file: string;
}> => {
  const folder = mkdtempSync(join(tmpdir(), "short-runs-"));
  const file = join(folder, "model.onnx");
  writeFileSync(file, identityModel("FP32", "n", 2));
  const start = { model: file, options: { executionProviders: ["cpu"] } };
  const runs = await prepareShortRuns(start, isIdle, quickly);
  onTestFinished(async () => {
    await runs.close();
    rmSync(folder, { recursive: true });
  });
  return { runs, folder, file };
};

const tensor = (rows: number, dtype: DType = "FP32"): TravellingTensor => ({
  name: "X",
  dtype,
  shape: [rows, 2],
  data: new Uint8Array(new Float32Array(2 * rows).fill(3).buffer),
});
const took = (microseconds: number, dtype: DType = "FP32"): SessionRun => ({
  outputs: [{ ...tensor(1, dtype), name: "Y" }],
  took: microseconds,
  ended: 0,
});
const learn = (runs: ShortRuns, count: number, run: SessionRun): void => {
  for (let i = 0; i < count; i++) runs.learn(run);
};
const runsHere = async (runs: ShortRuns, rows = 1): Promise<boolean> =>
  (await runs.run([tensor(rows)], ["Y"])) !== undefined;

test("after 32 short runs in its own thread, a small model runs in the calling thread, with the same outputs", async () => {
  const { runs } = await opened();
  learn(runs, 31, took(20));
  expect(await runsHere(runs)).toBe(false);
  learn(runs, 1, took(20));
  await expect.poll(() => runsHere(runs)).toBe(true);
  const ran = await runs.run([tensor(1)], ["Y"]);
  expect(ran?.outputs).toEqual([{ ...tensor(1), name: "Y" }]);
  await Promise.all([runs.close(), runs.close()]);
  expect(await runsHere(runs)).toBe(false);
});

test("large inputs run in the model's own thread", async () => {
  const { runs } = await opened();
  learn(runs, 32, took(20));
  await expect.poll(() => runsHere(runs)).toBe(true);
  expect(await runsHere(runs, 32_768)).toBe(true);
  expect(await runsHere(runs, 32_769)).toBe(false);
});

test("once two runs meet, later ones go to the model's own thread", async () => {
  const { runs } = await opened();
  learn(runs, 32, took(20));
  await expect.poll(() => runsHere(runs)).toBe(true);
  const first = runs.run([tensor(1)], ["Y"]);
  expect(runs.crowded()).toBe(false);
  expect(await runsHere(runs)).toBe(false);
  await first;
  for (let i = 0; i < 31; i++) expect(await runsHere(runs)).toBe(false);
  expect(runs.crowded()).toBe(true);
  expect(await runsHere(runs)).toBe(true);
  expect(runs.crowded()).toBe(false);
});

test("a model whose runs take longer stays in its own thread, and returns there for at least 32 runs", async () => {
  const { runs } = await opened();
  learn(runs, 100, took(120));
  await runs.close();
  expect(await runsHere(runs)).toBe(false);
  learn(runs, 32, took(20));
  await expect.poll(() => runsHere(runs)).toBe(true);
  learn(runs, 1, took(5000));
  expect(await runsHere(runs)).toBe(false);
  learn(runs, 31, took(20));
  expect(await runsHere(runs)).toBe(false);
  learn(runs, 1, took(20));
  expect(await runsHere(runs)).toBe(true);
});

test("a run may take longer while the calling thread mostly waits", async () => {
  let idle = true;
  const { runs } = await opened(() => idle);
  learn(runs, 100, took(310));
  await runs.close();
  expect(await runsHere(runs)).toBe(false);
  learn(runs, 32, took(250));
  await expect.poll(() => runsHere(runs)).toBe(true);
  idle = false;
  expect(await runsHere(runs)).toBe(false);
});

test("a model on a GPU, one with FP16, and one whose files have changed since it was loaded are not opened a second time", async () => {
  const onGpu = await prepareShortRuns({
    model: (await opened()).file,
    options: { executionProviders: ["cuda", "cpu"] },
  });
  const half = (await opened()).runs;
  const { runs: changed, folder } = await opened();
  writeFileSync(join(folder, "weights.bin"), "other weights");
  learn(onGpu, 32, took(20));
  learn(half, 32, took(20, "FP16"));
  learn(changed, 32, took(20));
  for (const runs of [onGpu, half, changed]) {
    // Waits until it is opened, if it is.
    await runs.close();
    expect(await runsHere(runs)).toBe(false);
  }
});
