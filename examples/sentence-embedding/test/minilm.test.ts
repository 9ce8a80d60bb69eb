import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pythonWithNumpy } from "../../../test/environment/python.ts";
import { type BuiltExample, buildExample } from "./built-example.ts";
import { askTriton } from "./real-triton.ts";
import { runPython } from "./run-python.ts";
import { variedTexts } from "./varied-texts.ts";
import { largestDifference, misjudged, tripleTexts, type Vector } from "./vectors.ts";

const exec = promisify(execFile);
const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

let example: BuiltExample;
let ofTriples: readonly Vector[];

beforeAll(async () => {
  const env = { ...process.env, PYTHON: await pythonWithPip() };
  await exec(process.execPath, [path("../scripts/make-minilm.mjs")], { env });
  example = await buildExample("minilm");
  ofTriples = await example.embed(tripleTexts);
}, 300_000);
afterAll(() => example?.close());

/** The script downloads with pip, which may be missing from a virtual environment or from Debian's Python. */
const pythonWithPip = async (): Promise<string> => {
  const own = await pythonWithNumpy();
  return exec(own, ["-m", "pip", "--version"]).then(
    () => own,
    () => "python3",
  );
};

test("the same pipeline file with the full model gives the same vectors as Python", async () => {
  const files = [path("../.cache/minilm/model.onnx"), path("../.cache/minilm/tokenizer.json")];
  const expected = await runPython<Vector[]>(await pythonWithNumpy(), "reference.py", files, variedTexts);
  expect(expected).toHaveLength(40);
  expect(new Set(expected.map(({ length }) => length))).toEqual(new Set([384]));
  expect(largestDifference(await example.embed(variedTexts, 10), expected)).toBeLessThan(1e-5);
}, 120_000);

test("in all 30 triples, the similar sentence is closer than the unrelated one", () => {
  expect(ofTriples).toHaveLength(90);
  expect(misjudged(ofTriples)).toEqual([]);
});

test("Triton's answers match those of the local runtime", async () => {
  const texts = tripleTexts.slice(0, process.env["TRITYPE_LOAD"] === "long" ? undefined : 30);
  const own = ofTriples.slice(0, texts.length);
  const triton = await askTriton(example.repository, texts);
  expect(largestDifference(triton.http, own)).toBeLessThan(1e-6);
  expect(largestDifference(triton.grpc, own)).toBeLessThan(1e-6);
}, 120_000);
