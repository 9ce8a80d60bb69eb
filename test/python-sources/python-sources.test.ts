import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { CollateTwinOptions, DetokenizerTwinOptions, TokenizerTwinOptions } from "@tritype/manifest";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { pythonModel } from "../../packages/cli/src/scaffold/python-model.ts";
import { collatePython } from "../../packages/compiler/src/collate/collate-kind.ts";
import { detokenizerPython } from "../../packages/compiler/src/detokenizer/detokenizer-kind.ts";
import {
  answersTemplate,
  decodingTemplate,
  loopTemplate,
  modelTemplate,
  nodeTemplate,
  piecesTemplate,
  rowsTemplate,
  sessionsTemplate,
  streamTemplate,
} from "../../packages/compiler/src/generated/python.ts";
import { printPython } from "../../packages/compiler/src/python-template.ts";
import { tokenizerPython } from "../../packages/compiler/src/tokenizer/tokenizer-python.ts";
import { mypyStrict } from "../environment/mypy.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { ruffCheck } from "../environment/ruff.ts";
import { arrays, clean, image, rank, scalars } from "../function/hand-made.ts";
import { buildOf } from "../function/serve-both.ts";

const exec = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const sources = ["packages/**/*.py", "packages/**/*.pyi", "examples/**/*.py", "test/*/*.py"];

let python: string;
beforeAll(async () => {
  python = await pythonWithNumpy();
});

const tracked = async (...patterns: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await exec("git", ["ls-files", ...patterns.map((pattern) => `:(glob)${pattern}`)], {
    cwd: root,
  });
  return stdout.split("\n").filter(Boolean);
};

const compileAll =
  "import sys\nfor path in sys.argv[1:]:\n    compile(open(path, encoding='utf-8').read(), path, 'exec')";

test("the modules that emit Python are generated from it (after a change: npm run python)", async () => {
  const { stderr } = await exec(python, [join(root, "test/workspace/make-python.py"), "--check"]);
  expect(stderr).toBe("");
});

test("every Python source passes the linter and compiles", async () => {
  const found = await Promise.all(sources.map((pattern) => tracked(pattern)));
  expect(sources.filter((_, at) => found[at]?.length === 0)).toEqual([]);
  const files = found.flat();
  expect(await ruffCheck(root, files)).toBe("");
  await exec(python, ["-c", compileAll, ...files.filter((file) => file.endsWith(".py"))], { cwd: root });
});

test("the support code of translated functions is an importable package", async () => {
  const cwd = join(root, "packages/translator/python");
  const modules = (await tracked("packages/translator/python/support/*.py")).map(
    (file) => `support.${file.replace(/^.*\/(\w+)\.py$/, "$1")}`,
  );
  for (const module of modules) await exec(python, ["-B", "-c", `import ${module}`], { cwd });
});

test("the script of `helm test` has types, and runs with Python 3.8", async () => {
  const script = "packages/deploy/python/smoke.py";
  expect(await mypyStrict([script], { cwd: root, mypyPath: "" })).toContain("Success");
  const parse = "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))";
  await exec(python, ["-c", parse, script], { cwd: root });
});

test("emitted Python of every kind passes the linter without exceptions and compiles", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const emitted = [false, true].flatMap((holdErrors) => models(holdErrors));
  const paths = emitted.map(([name, text], at) => {
    const path = join(folder, String(at), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  });
  const golden = (await tracked("test/golden/*/expected/**/*.py")).map((file) => join(root, file));
  const rules = ["--isolated", "--select", "E4,E7,E9,F,PLE,W"];
  expect(await ruffCheck(folder, [...rules, ...paths, ...golden])).toBe("");
  await exec(python, ["-c", compileAll, ...paths, ...golden]);
});

const models = (holdErrors: boolean): readonly (readonly [name: string, text: string])[] => [
  ...tokenizers.map((options) => ["model.py", tokenizerPython(options, { holdErrors })] as const),
  ...detokenizers.map((options) => ["model.py", detokenizerPython(options, { holdErrors })] as const),
  ...collates.map((options) => ["model.py", collatePython(options, { holdErrors })] as const),
  ["model.py", printPython(modelTemplate, { holdErrors })],
  ["model.py", printPython(nodeTemplate, {})],
  ...[false, true].flatMap((text) => [
    ["model.py", printPython(streamTemplate, { holdErrors, text })] as const,
    ["answers.py", printPython(answersTemplate, { text })] as const,
  ]),
  ["decoding.py", printPython(decodingTemplate, {})],
  ["loop.py", printPython(loopTemplate, {})],
  ["pieces.py", printPython(piecesTemplate, {})],
  ["rows.py", printPython(rowsTemplate, {})],
  ["sessions.py", printPython(sessionsTemplate, {})],
  ...[...buildOf([arrays, clean, image, rank, scalars]).tree].flatMap(([path, file]) =>
    path.endsWith(".py") && file.kind === "text" ? [["model.py", file.text] as const] : [],
  ),
  [
    "model.py",
    pythonModel({
      name: "step",
      inputs: { text },
      outputs: { ids: { dtype: "INT64", dims: ["batch"] } },
      options: {},
    }),
  ],
];

const text = { dtype: "BYTES", dims: ["batch", 1] } as const;

const plain: TokenizerTwinOptions = {
  step: "tokenize",
  maxLength: 512,
  padding: "longest",
  truncation: true,
  truncationSide: "right",
  addSpecialTokens: true,
  prefix: "",
  pair: false,
  ids: "INT64",
  tokenTypeIds: false,
  specialTokensMask: false,
  offsets: false,
  pad: { token: "[PAD]", id: 0, typeId: 0, side: "right" },
};
const languages = { source: true, target: true, ids: { de: 7, en: 8 }, at: 0, replaces: false };

const tokenizers: readonly TokenizerTwinOptions[] = [
  plain,
  { ...plain, padding: "maxLength", truncation: false, prefix: "query: ", addSpecialTokens: false },
  { ...plain, padding: { multipleOf: 8 }, truncation: "onlyFirst", pair: true, addSpecialTokens: false },
  { ...plain, padding: { buckets: [8, 512] }, truncation: "onlySecond", pair: true },
  { ...plain, pair: true, truncation: false, tokenTypeIds: true, specialTokensMask: true, offsets: true },
  { ...plain, languages },
  { ...plain, languages: { ...languages, replaces: true, at: -1 }, truncation: false },
  { ...plain, languages: { ...languages, source: false }, padding: { multipleOf: 8 } },
];

const detokenizers: readonly DetokenizerTwinOptions[] = [
  { step: "detokenize", ids: "INT64", skipSpecialTokens: true, cleanUp: true, padId: 0 },
  { step: "detokenize", ids: "INT32", skipSpecialTokens: false, cleanUp: false, padId: null },
];

const collates: readonly CollateTwinOptions[] = tokenizers
  .filter((options) => options.languages === undefined)
  .map((options) => ({
    ...options,
    behind: "embed_rest",
    inputs: ["input_ids", ...(options.offsets ? ["offsets"] : [])],
    maxBatchSize: 8,
    maxWaste: 0.25,
  }));
