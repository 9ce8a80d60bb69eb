import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { compileFixture, type ProjectFixture, renderAll } from "../fixtures/project.ts";
import { compilerCodes, diagnosticCodes } from "./diagnostic-codes.ts";
import { diagnosticsProject } from "./diagnostics-project.ts";
import { type Fence, fencesOf, replaceFence } from "./markdown-fences.ts";

const folder = fileURLToPath(new URL("../../docs/diagnostics/", import.meta.url));
const index = "README.md";
const read = (file: string): string => readFileSync(join(folder, file), "utf8");

let project: ProjectFixture;
beforeAll(() => {
  project = diagnosticsProject();
});
afterAll(() => project.remove());

test("every code has a page, and every page a code", () => {
  const pages = filesBelow(folder).filter((file) => file !== index);
  expect(pages.toSorted()).toEqual(diagnosticCodes.map((code) => `${code}.md`).toSorted());
});

test("the index lists every code once", () => {
  const listed = [...read(index).matchAll(/\]\(([a-z0-9/-]+)\.md\)/g)].map(([, code]) => code);
  expect(listed).toEqual(diagnosticCodes);
});

test.each(compilerCodes)("%s: the first example gives it, the second gives nothing", async (code) => {
  const file = `${code}.md`;
  const page = read(file);
  expect(page.split("\n", 1)[0]).toBe(`# ${code}`);
  const { wrong, shown, right, files } = readPage(page);
  project.write("pipeline.config.ts", plainConfig);
  for (const { info, text } of files) project.write(info, text);

  const compiled = await compile(wrong);
  expect(compiled.compilation.diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
  const text = renderAll(compiled, { "pipeline.ts": wrong.text });
  if (process.env["UPDATE"] === "1") writeFileSync(join(folder, file), replaceFence(page, shown, text));
  else expect(shown.text).toBe(text);

  const mended = await compile(right);
  expect(mended.compilation.diagnostics).toEqual([]);
  expect(mended.compilation.build).toBeDefined();
});

const plainConfig = 'import { defineConfig } from "tritype";\n\nexport default defineConfig({});\n';

const compile = (fence: Fence): ReturnType<typeof compileFixture> => {
  project.write("pipeline.ts", fence.text);
  return compileFixture(project);
};

/** The pipeline that fails, what the terminal shows, the mended one, and the files named by their fences. */
const readPage = (
  page: string,
): {
  readonly wrong: Fence;
  readonly shown: Fence;
  readonly right: Fence;
  readonly files: readonly Fence[];
} => {
  const fences = fencesOf(page);
  const files = fences.filter(({ info }) => /\.\w+$/.test(info));
  const [wrong, shown, right, ...others] = fences.filter((fence) => !files.includes(fence));
  if (wrong === undefined || shown === undefined || right === undefined)
    throw new Error("a page has three fences: wrong, shown, right");
  expect([wrong, shown, right, ...others].map(({ language, info }) => `${language} ${info}`.trim())).toEqual([
    "ts wrong",
    "text",
    "ts",
  ]);
  return { wrong, shown, right, files };
};
