import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { httpClient } from "@tritype/client";
import { type Scalar, tensorOf, valuesOf } from "@tritype/core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { withTriton } from "../../examples/sentence-embedding/test/real-triton.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { readGoldens } from "../fixtures/generate/goldens.ts";
import { assembleTwin } from "./assemble.mjs";
import { effort } from "./effort.mjs";

const example = (path: string): string =>
  fileURLToPath(new URL(`../../examples/m2m100-translation/${path}`, import.meta.url));

/** A text, its languages, and transformers' translation. */
interface Translation {
  readonly text: string;
  readonly source: string;
  readonly target: string;
  readonly answer: string;
}

const translations = (readGoldens(example("test/goldens.json")).cases.find(({ name }) => name === "greedy")
  ?.rows ?? []) as unknown as readonly Translation[];

type Client = ReturnType<typeof httpClient>;

const translate = async (client: Client, rows: readonly Translation[]): Promise<readonly Scalar[]> => {
  const column = (texts: readonly string[]) => tensorOf("BYTES", [rows.length, 1], texts);
  const answer = await client.infer({
    model: "m2m100_ensemble",
    inputs: new Map([
      ["TEXT", column(rows.map(({ text }) => text))],
      ["SOURCE_LANGUAGE", column(rows.map(({ source }) => source))],
      ["TARGET_LANGUAGE", column(rows.map(({ target }) => target))],
    ]),
  });
  const translated = answer.get("TRANSLATION");
  return translated === undefined ? [] : valuesOf(translated);
};

describe("the hand-written m2m100", () => {
  let folder: string;
  let repository: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tritype-twins-"));
    repository = join(folder, "model_repository");
    assembleTwin("m2m100", repository, {
      model: example("models/fp32"),
      tokenizer: example("models/fp32/tokenizer.json"),
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("pipeline check finds nothing in the fixed files", async () => {
    const { code, out } = await pipeline({ root: folder }, ["check", repository]);
    expect(out).toBe("");
    expect(code).toBe(0);
  });

  test("a real Triton gives transformers' translations, with one request for all texts or one for each", async () => {
    expect(translations).toHaveLength(30);
    const answers = translations.map(({ answer }) => answer);
    await withTriton(repository, async ({ httpUrl, grpcAddress }, { python }) => {
      const client = httpClient(httpUrl);
      expect(await translate(client, translations)).toEqual(answers);
      const rows = [...translations, ...translations, ...translations];
      const singly = await Promise.all(rows.map((row) => translate(client, [row])));
      expect(singly.flat()).toEqual([...answers, ...answers, ...answers]);
      const [first] = translations;
      if (first === undefined) throw new Error("no golden");
      const refused = async (row: Partial<Translation>, says: string): Promise<void> =>
        await expect(translate(client, [{ ...first, ...row }])).rejects.toThrow(says);
      const [neighbour] = await Promise.all([
        translate(client, [first]),
        refused({ target: "tlh" }, "does not know the language 'tlh'"),
        refused({ text: " " }, "the text is empty"),
        refused({ text: "eins ".repeat(200) }, "the model takes at most 128"),
      ]);
      expect(neighbour).toEqual([first.answer]);
      const options = ["--triton_address", grpcAddress, "--source", first.source, "--target", first.target];
      const script = join(import.meta.dirname, "m2m100/client/client.py");
      const { stdout } = await promisify(execFile)(python, [script, ...options, first.text]);
      expect(stdout).toBe(`${first.answer}\n`);
      // The server updates its counts after it has answered.
      const counted = await vi.waitFor(async () => {
        const answer = await fetch(`${httpUrl}/v2/models/m2m100_translation_model/stats`);
        const { model_stats: stats } = (await answer.json()) as {
          model_stats: { inference_count: number; execution_count: number }[];
        };
        expect(stats[0]?.inference_count).toBe(122);
        return stats[0];
      }, 20_000);
      // Requests that wait while a batch runs form the next one: 93 requests, fewer executions.
      expect(counted?.execution_count).toBeLessThan(93);
      await client.close();
    });
  }, 120_000);
});

test("examples/README.md matches the files written", async () => {
  const readme = await readFile(example("../README.md"), "utf8");
  const { hand: theirs, ours: own } = effort("m2m100");
  expect(readme).toContain(
    `| m2m100-translation | ${theirs.files} | ${own.files} | ${theirs.lines} | ${own.lines} |`,
  );
});
