import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkRepository } from "@tritype/check";
import { defaultRelease } from "@tritype/triton";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CaseFiles, caseHost } from "../judge/case-files.ts";
import { type FailingModel, failingModels, labelledTexts, warmupCalls } from "./failing-models.ts";
import { realTriton } from "../../environment/triton.ts";
import { killTriton } from "../../triton/judge.ts";

const filesOf = (models: Readonly<Record<string, readonly [string, string]>>): CaseFiles =>
  Object.fromEntries(
    Object.entries(models).flatMap(([name, [config, python]]) => [
      [`${name}/config.pbtxt`, config],
      [`${name}/1/model.py`, python],
    ]),
  );

const files: CaseFiles = {
  ...filesOf(
    Object.fromEntries(
      Object.entries(failingModels).map(([name, { config, python }]) => [name, [config, python]]),
    ),
  ),
  ...Object.fromEntries(
    Object.entries(failingModels).flatMap(([name, { files: more = {} }]) =>
      Object.entries(more).map(([path, text]) => [`${name}/${path}`, text] as const),
    ),
  ),
};

const reported = checkRepository(caseHost(files), { release: defaultRelease }).diagnostics;

let folder: string;
let server: TritonServer;

const serve = async (repository: string, content: CaseFiles): Promise<TritonServer> => {
  for (const [path, text] of Object.entries(content)) {
    await mkdir(dirname(join(repository, path)), { recursive: true });
    await writeFile(join(repository, path), text);
  }
  const triton = await realTriton();
  return await serveTriton(triton, { repository, strict: false });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tritype-faults-"));
  server = await serve(join(folder, "failing"), files);
}, 300_000);

afterAll(async () => {
  await killTriton(server);
  await rm(folder, { recursive: true, force: true });
}, 60_000);

const ranked = (classification: number) => ({ outputs: [{ name: "y", parameters: { classification } }] });

const send = async (name: string, { config, classes }: FailingModel): Promise<string> => {
  const shape = (dim: number) => (config.includes("max_batch_size") ? [1, dim] : [dim]);
  const input = config.includes("TYPE_STRING")
    ? { name: "text", datatype: "BYTES", shape: shape(1), data: ["hello"] }
    : { name: "x", datatype: "FP32", shape: shape(2), data: [1, 2] };
  const answer = await fetch(`${server.httpUrl}/v2/models/${name}/infer`, {
    method: "POST",
    body: JSON.stringify({ inputs: [input], ...(classes === undefined ? {} : ranked(classes)) }),
  });
  return `${answer.status} ${await answer.text()} ${await reasonOf(name)}`;
};

/** Why a model did not load; empty if it did. */
const reasonOf = async (model: string): Promise<string> => {
  const answer = await fetch(`${server.httpUrl}/v2/repository/index`, { method: "POST" });
  const index = (await answer.json()) as readonly { readonly name: string; readonly reason?: string }[];
  return index.find(({ name }) => name === model)?.reason ?? "";
};

test.each(Object.entries(failingModels))(
  "%s fails on the server, and the checker reports it",
  async (name, model) => {
    const codes = reported
      .filter(({ labels: [label] }) => label?.span.file.startsWith(`${name}/`))
      .map(({ code }) => code);
    expect(codes).toContain(model.code);
    const answers = await Promise.all(Array.from({ length: model.requests ?? 1 }, () => send(name, model)));
    for (const answer of answers) expect(answer).toMatch(model.says);
  },
);

test("a request for classes of a text output crashes the server and is reported", async () => {
  const labelled = { ...filesOf({ texts: labelledTexts }), "texts/labels.txt": "bad\ngood\n" };
  const { diagnostics } = checkRepository(caseHost(labelled), { release: defaultRelease });
  expect(diagnostics.map(({ code }) => code)).toEqual(["tensor/unranked-labels"]);
  const alive = await serve(join(folder, "labelled"), labelled);
  const inputs = [{ name: "x", datatype: "FP32", shape: [2], data: [1, 2] }];
  const body = JSON.stringify({ inputs, ...ranked(1) });
  await expect(fetch(`${alive.httpUrl}/v2/models/texts/infer`, { method: "POST", body })).rejects.toThrow();
  expect(await alive.ended).toMatch(/SIGFPE/);
}, 120_000);

test("a warmup that calls other models fails or crashes the server and is reported", async () => {
  const warm = filesOf(warmupCalls);
  const { diagnostics } = checkRepository(caseHost(warm), { release: defaultRelease });
  expect(diagnostics.map(({ code }) => code)).toEqual(["warmup/calls-models"]);
  const failure = /SIGSEGV|failed to run warmup sample 'w'/;
  const alive = await serve(join(folder, "warm"), warm).catch((error: unknown) => error as Error);
  if (alive instanceof Error) return expect(alive.message).toMatch(failure);
  let end = "";
  void alive.ended.then((how) => (end = how));
  await expect.poll(() => `${alive.log()}${end}`).toMatch(failure);
  await alive.stop();
}, 120_000);
