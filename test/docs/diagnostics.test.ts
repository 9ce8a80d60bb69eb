import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { judgeBuild } from "@tritype/project";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { compileFixture, type ProjectFixture, renderAll } from "../fixtures/project.ts";
import { compilerCodes, diagnosticCodes } from "./diagnostic-codes.ts";
import { diagnosticsProject } from "./diagnostics-project.ts";
import { replaceFence } from "./markdown-fences.ts";
import { readPipelinePage } from "./pipeline-page.ts";

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

test("the index lists every group once", () => {
  const listed = [...read(index).matchAll(/^- \[([a-z-]+)\]\(\1\): \S/gm)].map(([, group]) => group);
  expect(listed).toEqual([...new Set(diagnosticCodes.map((code) => code.split("/")[0]))]);
});

test.each(compilerCodes)("%s: the first example has the error, the second has no findings", async (code) => {
  const file = `${code}.md`;
  const page = read(file);
  expect(page.split("\n", 1)[0]).toBe(`# ${code}`);
  const { wrong, shown, fixed, files } = readPipelinePage(page);
  project.write("pipeline.config.ts", plainConfig);
  for (const { info, text } of files) project.write(info, text);

  const compiled = await compile(wrong);
  expect(compiled.compilation.diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
  expect(judgeBuild(compiled).diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
  const failed = compiled.compilation.diagnostics.some(({ severity }) => severity === "error");
  expect(compiled.compilation.build === undefined).toBe(failed);
  const text = renderAll(compiled.compilation.diagnostics, { "pipeline.ts": wrong });
  if (process.env["UPDATE"] === "1") writeFileSync(join(folder, file), replaceFence(page, shown, text));
  else expect(shown.text).toBe(text);

  const { compilation } = await compile(fixed);
  expect(compilation.diagnostics).toEqual([]);
  expect(compilation.build).toBeDefined();
});

const plainConfig = 'import { defineConfig } from "tritype";\n\nexport default defineConfig({});\n';

const compile = (pipeline: string): ReturnType<typeof compileFixture> => {
  project.write("pipeline.ts", pipeline);
  return compileFixture(project);
};
