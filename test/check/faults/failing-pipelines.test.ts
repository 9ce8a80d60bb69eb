import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkRepository } from "@tritype/check";
import { defaultRelease } from "@tritype/triton";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { caseHost } from "../judge/case-files.ts";
import { failingPipelines, positions, words } from "./failing-pipelines.ts";
import { realTriton } from "../../environment/triton.ts";
import { killTriton } from "../../triton/judge.ts";

const files = failingPipelines();
let folder: string;
let server: TritonServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tritype-pipelines-"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const triton = await realTriton();
  server = await serveTriton(triton, { repository: folder, strict: false });
}, 300_000);

afterAll(async () => {
  await killTriton(server);
  await rm(folder, { recursive: true, force: true });
}, 60_000);

const send = async (model: string, input: object): Promise<string> => {
  const answer = await fetch(`${server.httpUrl}/v2/models/${model}/infer`, {
    method: "POST",
    body: JSON.stringify({ inputs: [input] }),
  });
  return `${answer.status} ${await answer.text()}`;
};

const embed = async (text: string): Promise<string> =>
  await send("embed", { name: "text", datatype: "BYTES", shape: [1, 1], data: [text] });

const measure = async (model: string, size: number): Promise<string> =>
  await send(model, {
    name: "file",
    datatype: "UINT8",
    shape: [1, size],
    data: Array.from({ length: size }, () => 1),
  });

/** The number of executions that a model needed for the rows that it received. */
const executions = async (model: string, rows: number): Promise<number> => {
  const counted = async (): Promise<{ inference_count: number; execution_count: number } | undefined> => {
    const answer = await fetch(`${server.httpUrl}/v2/models/${model}/stats`);
    const { model_stats: stats } = (await answer.json()) as {
      model_stats: { inference_count: number; execution_count: number }[];
    };
    return stats[0];
  };
  await expect.poll(async () => (await counted())?.inference_count).toBe(rows);
  return (await counted())?.execution_count ?? 0;
};

test("exactly these faults are reported", () => {
  const { diagnostics } = checkRepository(caseHost(files), { release: defaultRelease });
  expect(diagnostics.map(({ code, labels: [label] }) => `${label?.span.file} ${code}`).toSorted()).toEqual([
    "alone/config.pbtxt batch/one-row",
    "encoder/config.pbtxt batch/rarely-merges",
    "picture/config.pbtxt batch/rarely-merges",
    "rounding/config.pbtxt batch/shared-scale",
    "tokenizer/1/model.py python/no-truncation",
    "tokenizer/1/words/tokenizer.json model-file/vocabulary",
  ]);
});

test("texts of different lengths are not merged", async () => {
  const texts = ["a", "a b", "a b c", "a b c d", "a b c d e", "a b c d e f"];
  for (const answer of await Promise.all(texts.map(embed))) expect(answer).toMatch(/^200 /);
  expect(await executions("encoder", texts.length)).toBe(texts.length);
});

test("files of different lengths are merged if the input is ragged", async () => {
  const sizes = [1, 2, 3, 4, 5, 6, 7, 8];
  for (const model of ["picture", "ragged"]) {
    const answers = await Promise.all(sizes.map((size) => measure(model, size)));
    for (const [i, answer] of answers.entries()) expect(answer).toContain(`"data":[${sizes[i]}.0]`);
  }
  expect(await executions("picture", sizes.length)).toBe(sizes.length);
  expect(await executions("ragged", sizes.length)).toBeLessThan(sizes.length);
});

test("a model that accepts only one row refuses two", async () => {
  const rows = (count: number) => ({
    name: "input_ids",
    datatype: "INT64",
    shape: [count, 2],
    data: Array.from({ length: count * 2 }, () => 1),
  });
  expect(await send("alone", rows(1))).toMatch(/^200 /);
  expect(await send("alone", rows(2))).toMatch(/^400 .*batch-size must be <= 1/);
});

test("a token that the model does not know fails", async () => {
  expect(await embed("a b late")).toMatch(/^\d+ .*indices element out of data bounds, idx=10/);
  expect(words.indexOf("late")).toBe(10);
});

test("a text with more tokens than positions fails", async () => {
  const text = Array.from({ length: positions }, () => "a").join(" ");
  expect(await embed(text)).toMatch(/^200 /);
  expect(await embed(`${text} a`)).toMatch(
    /^\d+ .*Attempting to broadcast an axis by a dimension other than 1. 8 by 9/,
  );
});

test("a row is rounded differently next to a larger one", async () => {
  const round = async (...numbers: readonly number[]): Promise<readonly number[]> => {
    const x = { name: "x", datatype: "FP32", shape: [numbers.length / 2, 2], data: numbers };
    const answer = await send("rounding", x);
    return (JSON.parse(answer.replace(/^200 /, "")) as { outputs: [{ data: number[] }] }).outputs[0].data;
  };
  const [alone, beside] = [await round(0.5, 1), await round(0.5, 1, 900, 1000)];
  expect(alone[1]).toBeCloseTo(1, 5);
  expect(beside[1]).toBe(0);
});
