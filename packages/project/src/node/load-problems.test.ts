import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleStep, type Files, projectOf } from "./bundle.fixture.ts";
import { loadProblems } from "./load-problems.ts";

const stepAfter = (code: string): string => `import { bytes, step } from "tritype";
${code}
const text = bytes("batch", 1);
export const clean = step({ name: "clean", engine: "node", inputs: { text }, outputs: { text }, run: ({ text }) => ({ text: used(text) }) }); // here
`;
const at = { file: "pipeline.ts", line: 9, column: 1 };

const problemsOf = async (root: string, ...projects: readonly Files[]) => {
  const bundles = [];
  for (const files of projects) {
    const bundled = await bundleStep(root, files);
    expect(bundled.problems).toEqual([]);
    bundles.push({ bundled, at });
  }
  return loadProblems(root, bundles);
};

const filesOf = (name: string, code: string): Files => ({ [`${name}.ts`]: stepAfter(code) });

test("bundles are loaded in one process, and each failure is reported at the author's line", async () => {
  const files = [
    filesOf("fine", "const used = (text: string) => text;"),
    filesOf(
      "thrown",
      'const used = (text: string) => text;\nif (used("") === "") throw new RangeError("no words");',
    ),
    filesOf("imported", 'import { used } from "picky";'),
    filesOf(
      "reads",
      'import { readFileSync } from "node:fs";\nconst all = readFileSync("/etc/hosts", "utf8");\nconst used = (text: string) => all + text;',
    ),
    filesOf("pooled", 'import { used } from "pool";'),
    filesOf("exits", "const used = process.exit(3) as (text: string) => string;"),
  ];
  const root = projectOf({
    ...Object.assign({}, ...files),
    "node_modules/pool/package.json": '{ "name": "pool", "version": "1.0.0", "main": "pool.js" }',
    "node_modules/pool/pool.js":
      'exports.used = (text) => text;\nnew (require("worker_threads").Worker)("", { eval: true });\n',
    "node_modules/picky/package.json": '{ "name": "picky", "version": "1.0.0", "main": "picky.js" }',
    "node_modules/picky/picky.js":
      'exports.used = (text) => text;\nif (!process.env.PICKY_HOME) throw new Error("no home");\n',
  });
  const problems = await problemsOf(root, ...files);
  expect(
    problems.map((problem) => problem && [problem.code, problem.at.file, problem.at.line, problem.message]),
  ).toEqual([
    undefined,
    ["node/not-loaded", "thrown.ts", 3, 'loading its function fails with "RangeError: no words"'],
    [
      "node/package",
      "imported.ts",
      2,
      'the package "picky" cannot run in Triton: loading it fails with "Error: no home"',
    ],
    ["node/not-loaded", "reads.ts", 3, 'loading its function reads "/etc/hosts", which is not allowed'],
    [
      "node/not-loaded",
      "pooled.ts",
      2,
      'loading its function starts a worker thread through the npm package "pool", which is not allowed',
    ],
    ["node/not-loaded", "pipeline.ts", 9, 'loading its function fails with "Node ended with exit code 3"'],
  ]);
  expect(problems[3]?.help).toBe('add `allow: { fsRead: ["/etc/hosts"] }` to the step');
  const cached = () =>
    readdirSync(join(root, "node_modules/.cache/tritype")).filter((name) => name.startsWith("loaded-"));
  expect(cached()).toHaveLength(1);
  const [first = {}] = files;
  expect(await problemsOf(root, first)).toEqual([undefined]);
});
