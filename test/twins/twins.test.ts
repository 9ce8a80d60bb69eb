import { cpSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { httpClient } from "@tritype/client";
import { tensorOf } from "@tritype/core";
import { cacheFolder, installTriton } from "@tritype/tritonserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  buildExample as buildBioLinkBert,
  rowsOf,
} from "../../examples/biolinkbert-embedding/test/built-example.ts";
import { buildExample as buildE5 } from "../../examples/sentence-embedding/test/built-example.ts";
import { withTriton } from "../../examples/sentence-embedding/test/real-triton.ts";
import { variedTexts } from "../../examples/sentence-embedding/test/varied-texts.ts";
import { largestDifference, type Vector } from "../../examples/sentence-embedding/test/vectors.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { assembleTwin, type Twin } from "./assemble.mjs";
import { effort } from "./effort.mjs";

const texts = variedTexts.slice(0, 30);
const asset = (path: string): string =>
  fileURLToPath(new URL(`../../examples/sentence-embedding/assets/${path}`, import.meta.url));

describe.each([
  {
    twin: "e5",
    // In the published version, the client adds the prefix. The twin stays as published: texts are padded to the
    // longest one in a request, so lengths are seldom equal.
    warnings: ["batch/rarely-merges"],
    hand: { model: "e5", input: "text", texts: texts.map((text) => `query: ${text}`), shape: [30, 1] },
    ours: { model: "embed_query", input: "text", texts, shape: [30, 1] },
  },
  {
    twin: "biolinkbert",
    warnings: [],
    hand: { model: "ensemble_model", input: "TEXT", texts, shape: [30] },
    ours: { model: "embed", input: "text", texts, shape: [30, 1] },
  },
] as const)("$twin, by hand and ours", ({ twin, warnings, hand, ours }) => {
  let folder: string;
  let repository: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tritype-twins-"));
    repository = join(folder, "model_repository");
    await assemble(twin, repository);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("pipeline check finds no error in the fixed files", async () => {
    const { code, out } = await pipeline({ root: folder }, ["check", repository]);
    expect([...out.matchAll(/^\w+\[(\S+)\]/gm)].map(([, found]) => found)).toEqual(warnings);
    expect(code).toBe(0);
  });

  test("one real Triton serves both, and their vectors agree", async () => {
    const built = await buildOurs[twin]();
    try {
      cpSync(built.repository, repository, { recursive: true });
      await withTriton(repository, async ({ httpUrl }) => {
        const client = httpClient(httpUrl);
        const ask = async ({ model, input, texts: rows, shape }: typeof hand | typeof ours) => {
          const inputs = new Map([[input, tensorOf("BYTES", shape, rows)]]);
          return rowsOf((await client.infer({ model, inputs })).get("embedding"));
        };
        const vectors: readonly Vector[] = await ask(ours);
        expect(largestDifference(await ask(hand), vectors)).toBeLessThan(1e-5);
        await client.close();
      });
    } finally {
      await built.close();
    }
  }, 120_000);

  test("examples/README.md matches the files written", () => {
    const readme = readFileSync(new URL("../../examples/README.md", import.meta.url), "utf8");
    const { hand: theirs, ours: own } = effort(twin);
    expect(readme).toContain(`| ${theirs.files} | ${own.files} | ${theirs.lines} | ${own.lines} |`);
  });
});

const assemble = async (twin: Twin, repository: string): Promise<void> => {
  const triton = await installTriton({ cache: cacheFolder(), notice: () => {} });
  if (triton.kind !== "wheel") throw new Error("this test needs Triton's wheel");
  const files = {
    model: asset("static/model.onnx"),
    tokenizer: asset("tokenizer/tokenizer.json"),
    python: triton.python,
  };
  assembleTwin(twin, repository, files);
};

const buildOurs = {
  e5: () => buildE5("static"),
  biolinkbert: async () => {
    const built = await buildBioLinkBert("mean");
    return { repository: join(built.build, "model_repository"), close: built.close };
  },
};
