import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { httpClient } from "@tritype/client";
import { type NamedTensors, type Scalar, tensorOf, valuesOf } from "@tritype/core";
import { cacheFolder, installTriton, serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withTriton } from "../../examples/sentence-embedding/test/real-triton.ts";
import { heldOut } from "../../examples/sentiment-tensorrt/test/held-out.ts";
import { withTorchBackend } from "../fixtures/torch-backend/with-torch-backend.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { assembleTwin } from "./assemble.mjs";
import { effort } from "./effort.mjs";

const example = (path: string): string => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));
const model = (path: string): string => example(`sentiment-tensorrt/${path}`);
const files = {
  model: model("assets/model.onnx"),
  torchscript: model("assets/model.pt"),
  tokenizer: model("assets/tokenizer/tokenizer.json"),
};
/** Every seventh held-out sentence of both labels, and typical posts. */
const texts = [
  ...heldOut.filter((_, at) => at % 7 === 0).map(({ text }) => text),
  "@anna <b>Sooooo</b> good!!!!! https://example.com/?q=1",
  "  the\tworst\n\nhotel  ",
  "🙂 naïve but fine",
];

describe.each([
  {
    twin: "sentiment",
    project: "sentiment-tensorrt",
    hand: { model: "sentiment_analysis", input: "QUERY", label: "LABEL", score: "SCORE" },
    ours: { model: "sentiment", input: "text", label: "label", score: "score" },
    more: { scores: ["SCORES", "scores"], verdicts: ["VERDICT", "verdict"] },
    refused: ["<br>", "good ".repeat(200)],
    client: undefined,
  },
  {
    twin: "roberta",
    project: "roberta-sentiment-torchscript",
    hand: { model: "sentiment_ensemble", input: "TEXT", label: "LABEL", score: "SCORE" },
    ours: { model: "sentiment", input: "text", label: "label", score: "score" },
    more: undefined,
    refused: [],
    client: "roberta/client/client.py",
  },
] as const)("$twin, by hand and ours", ({ twin, project, hand, ours, more, refused, client: file }) => {
  let folder: string;
  let repository: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tritype-twins-"));
    repository = join(folder, "model_repository");
    assembleTwin(twin, repository, files);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each([
    ["for GPUs", [], []],
    ["for CPUs", ["--profile", "cpu"], ["config/profile-missing"]],
  ])("pipeline check finds no error in the fixed files, %s", async (_, options, warnings) => {
    const { code, out } = await pipeline({ root: folder }, ["check", repository, ...options]);
    expect([...new Set([...out.matchAll(/^\w+\[(\S+)\]/gm)].map(([, found]) => found))]).toEqual(warnings);
    expect(code).toBe(0);
  });

  test("one real Triton serves both, and their labels agree", async () => {
    const served = join(folder, "served");
    cpSync(repository, served, { recursive: true });
    await buildOurs(project, join(folder, "build"));
    cpSync(join(folder, "build", "model_repository"), served, { recursive: true });
    await withTriton(
      served,
      async ({ httpUrl, grpcAddress }, { python }) => {
        const client = httpClient(httpUrl);
        const ask = ({ model: name, input }: typeof hand | typeof ours, rows: readonly string[]) =>
          client.infer({
            model: name,
            inputs: new Map([[input, tensorOf("BYTES", [rows.length, 1], rows)]]),
          });
        const [theirs, own] = [await ask(hand, texts), await ask(ours, texts)];
        const [labels, scores] = [valuesAt(own, ours.label), valuesAt(own, ours.score)];
        expect(labels).toHaveLength(texts.length);
        expect(labels).toEqual(expect.arrayContaining(["negative", "positive"]));
        expect(valuesAt(theirs, hand.label)).toEqual(labels);
        expectClose(valuesAt(theirs, hand.score), scores);
        if (more !== undefined) {
          expectClose(valuesAt(theirs, more.scores[0]), valuesAt(own, more.scores[1]));
          expect(verdictsAt(theirs, more.verdicts[0])).toEqual(verdictsAt(own, more.verdicts[1]));
        }
        for (const text of refused)
          for (const side of [hand, ours]) await expect(ask(side, [text])).rejects.toThrow();
        if (file !== undefined) {
          const args = [join(import.meta.dirname, file), "--triton_address", grpcAddress, ...texts];
          const { stdout } = await promisify(execFile)(python, args);
          expect(
            stdout
              .trimEnd()
              .split("\n")
              .map((line) => line.split(" ")[0]),
          ).toEqual(labels);
        }
        await client.close();
      },
      ["--model-config-name=cpu"],
    );
  }, 120_000);

  test("examples/README.md matches the files written", () => {
    const readme = readFileSync(example("README.md"), "utf8");
    const { hand: theirs, ours: own } = effort(twin);
    expect(readme).toContain(`| ${theirs.files} | ${own.files} | ${theirs.lines} | ${own.lines} |`);
  });
});

test("a real Triton gives the same answers with roberta's TorchScript file, set up by hand, as with its ONNX file", async () => {
  const installation = await installTriton({ cache: cacheFolder(), notice: () => {} });
  if (installation.kind !== "wheel") throw new Error("this test needs Triton's wheel");
  const repository = await mkdtemp(join(tmpdir(), "tritype-twins-"));
  assembleTwin("roberta", repository, files);
  const ask = async (server: TritonServer): Promise<NamedTensors> => {
    await server.waitReady();
    const client = httpClient(server.httpUrl);
    const inputs = new Map([["TEXT", tensorOf("BYTES", [texts.length, 1], texts)]]);
    const answer = await client.infer({ model: "sentiment_ensemble", inputs });
    await client.close();
    return answer;
  };
  const torch = await serveTriton(await withTorchBackend(installation), { repository });
  const onnx = await serveTriton(installation, { repository, configName: "cpu" });
  try {
    const [theirs, own] = await Promise.all([ask(torch), ask(onnx)]);
    expect(valuesAt(theirs, "LABEL")).toEqual(valuesAt(own, "LABEL"));
    expectClose(valuesAt(theirs, "SCORE"), valuesAt(own, "SCORE"));
  } finally {
    await torch.stop();
    await onnx.stop();
    await rm(repository, { recursive: true, force: true });
  }
}, 120_000);

const valuesAt = (answer: NamedTensors, name: string): readonly Scalar[] => {
  const tensor = answer.get(name);
  if (tensor === undefined) throw new Error(`no output ${name}`);
  return valuesOf(tensor);
};

const expectClose = (values: readonly Scalar[], others: readonly Scalar[]): void => {
  expect(values).toHaveLength(others.length);
  for (const [at, value] of values.entries()) expect(Number(value)).toBeCloseTo(Number(others[at]), 5);
};

/** Scores are rounded to four decimal places. */
const verdictsAt = (answer: NamedTensors, name: string): readonly unknown[] =>
  valuesAt(answer, name).map((text) =>
    JSON.parse(String(text), (_, value: unknown) => (typeof value === "number" ? value.toFixed(4) : value)),
  );

const buildOurs = async (project: string, output: string): Promise<void> => {
  const { compilation } = await compileProject(findProject(example(project)));
  if (compilation.build === undefined || compilation.diagnostics.length > 0)
    throw new Error(compilation.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  writeBuild(output, compilation.build.tree);
};
