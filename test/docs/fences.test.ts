import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { tinyExport } from "../fixtures/tiny-export.ts";
import { checkFences, type VirtualFile } from "./check-fences.ts";
import { type Fence, fencesOf } from "./markdown-fences.ts";
import { applyPatch } from "./patch.ts";
import { runnable } from "./runnable.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const example = "examples/sentence-embedding";
const read = (file: string): string => readFileSync(join(root, file), "utf8");

const packages = readdirSync(join(root, "packages"), { withFileTypes: true })
  .filter((entry) => existsSync(join(root, "packages", entry.name, "package.json")))
  .map(({ name }) => name);
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  ...readdirSync(join(root, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `examples/${name}/README.md`),
  ...filesBelow(join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
  ...packages.map((name) => `packages/${name}/README.md`),
];
const fences = pages.flatMap((page) =>
  withPatched(fencesOf(read(page)))
    .filter(({ language, info }) => language === "ts" && info !== "wrong")
    .map((fence) => ({ page, ...fence })),
);
const isFile = ({ info }: Fence): boolean => info.endsWith(".ts");
const runs = fences.filter(({ info }) => info === "run");

/** Complete fixed pipelines, for pages that only show the changed lines. */
function withPatched(all: readonly Fence[]): readonly Fence[] {
  const wrong = all.find(({ language, info }) => language === "ts" && info === "wrong");
  return all.map((fence) =>
    wrong !== undefined && fence.language === "diff" && fence.info === "fixed"
      ? { ...fence, language: "ts", info: "", text: applyPatch(wrong.text, fence.text) }
      : fence,
  );
}

test("every example in TypeScript type-checks", async () => {
  const files = fences.map(
    (fence): VirtualFile => ({
      place: `${fence.page}:${fence.line}`,
      path: `${fence.page}/${isFile(fence) ? fence.info : `line-${fence.line}.ts`}`,
      text: fence.text,
    }),
  );
  expect(files.length).toBeGreaterThan(80);
  expect(await checkFences([...files, ...importedModels])).toEqual([]);
});

/** The modules that the examples of these pages import. */
const importedModels = [
  ["README.md", "models/static.ts"],
  ["README.md", "tensorrt.ts"],
  ["docs/warmup.md", "models/static.ts"],
  ["packages/tritype/README.md", "models/static.ts"],
  ["packages/typed-client/README.md", "models/static.ts"],
  ["packages/typed-client/README.md", "models/minilm.ts"],
  ["packages/typed-client/README.md", "pipeline.ts"],
  ["packages/typed-client/README.md", "tensorrt.ts"],
  ["packages/tritype/README.md", "models/minilm.ts"],
  ["packages/tritype/README.md", "pipeline.ts"],
  ["packages/tritype/README.md", "tensorrt.ts"],
  ["packages/in-process/README.md", "models/static.ts"],
  ["packages/in-process/README.md", "models/minilm.ts"],
  ["packages/in-process/README.md", "pipeline.ts"],
  ["packages/in-process/README.md", "tensorrt.ts"],
  ["examples/m2m100-translation/README.md", "clients/translate.ts", "examples/m2m100-translation"],
  ["examples/m2m100-translation/README.md", "pipeline.ts", "examples/m2m100-translation"],
  ["examples/m2m100-translation/README.md", "models/number-words.ts", "examples/m2m100-translation"],
].map(
  ([page, file, from = example]): VirtualFile => ({
    place: `${from}/${file}:1`,
    path: `${page}/${file}`,
    text: read(`${from}/${file}`),
  }),
);

test("every mark on a code fence has a meaning", () => {
  const unknown = fences.filter((fence) => !isFile(fence) && !["", "run"].includes(fence.info));
  expect(unknown.map(({ page, line, info }) => `${page}:${line}: ${info}`)).toEqual([]);
});

test("the README of every package has an example that runs", () => {
  const without = packages.filter((name) => !runs.some(({ page }) => page === `packages/${name}/README.md`));
  expect(without).toEqual([]);
});

test("the root README shows the example's own pipeline", () => {
  const shown = fences.find(({ page, info }) => page === "README.md" && info === "pipeline.ts")?.text ?? "";
  const [imports = "", ...definitions] = shown.split("\n\n");
  expect(imports).toContain("./models/static.ts");
  expect(definitions.length).toBeGreaterThan(2);
  expect(read(`${example}/pipeline.ts`)).toContain(definitions.join("\n\n"));
});

test("links between pages lead to existing targets", () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !existsSync(join(root, page, "..", target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

describe("examples run in a built copy of the sentence embedding", () => {
  const before = process.cwd();
  let project: ProjectFixture;
  beforeAll(async () => {
    const files = ["pipeline.ts", "tensorrt.ts", "models/static.ts", "models/minilm.ts"];
    project = makeProject({
      ...Object.fromEntries(files.map((file) => [file, read(`${example}/${file}`)])),
      ...tinyExport("bart", "models/bart"),
    });
    const config = read(`${example}/pipeline.config.ts`)
      .replace(', "retrieval.ts"', "")
      .replace(/ {2}drift: \{[^]*?\n {2}\},\n/, "");
    project.write("pipeline.config.ts", config);
    project.write("assets/static/model.onnx", readFileSync(join(root, example, "assets/static/model.onnx")));
    const languages = "assets/m2m100/tokenizer.json";
    project.write(languages, read(`test/tokenizer/${languages}`));
    const { settings, compilation } = await compileProject(findProject(project.root));
    if (compilation.build !== undefined) writeBuild(settings.output, compilation.build.tree);
    process.chdir(project.root);
  });
  afterAll(() => {
    process.chdir(before);
    project.remove();
  });

  test.each(runs.map((fence) => [`${fence.page}:${fence.line}`, fence] as const))(
    "%s",
    async (_, { page, line, text }) => {
      const file = `${page.replaceAll(/\W+/g, "-")}-${line}.ts`;
      project.write(file, runnable(text));
      expect(text).toContain("// => ");
      await import(pathToFileURL(project.path(file)).href);
    },
    60_000,
  );
});
