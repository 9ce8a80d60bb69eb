import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { writeBuild } from "@tritype/project";
import { manifestSchema } from "@tritype/manifest";
import { renamePorts } from "@tritype/onnx";
import { expect, test } from "vitest";
import { expectTree } from "../fixtures/expect-tree.ts";
import { doubleModel, encoderModel, scaleModel, torchscript } from "../fixtures/models.ts";
import { compileFixture, makeProject } from "../fixtures/project.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const words = readFileSync(
  fileURLToPath(new URL("../tokenizer/assets/word-level/tokenizer.json", import.meta.url)),
);
const letters = readFileSync(
  fileURLToPath(new URL("../tokenizer/assets/unigram/tokenizer.json", import.meta.url)),
);
const pieces = readFileSync(
  fileURLToPath(new URL("../tokenizer/assets/m2m100/tokenizer.json", import.meta.url)),
);
const cases = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The project's own files. */
const sourcesOf = (name: string): readonly string[] =>
  readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(folder, name), join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith("expected"));

test.each(cases)("%s is emitted as expected, with the same bytes the second time", async (name) => {
  const project = makeProject({
    ...Object.fromEntries(sourcesOf(name).map((file) => [file, readFileSync(join(folder, name, file))])),
    "models/encoder.onnx": encoderModel(),
    "models/double.onnx": doubleModel(),
    "models/forest.onnx": renamePorts(doubleModel(), {
      inputs: { x: "input__0" },
      outputs: { y: "output__0" },
    }),
    "models/double.pt": torchscript("double"),
    "models/scale-2.onnx": scaleModel(2),
    "models/scale-3.onnx": scaleModel(3),
    "assets/words/tokenizer.json": words,
    "assets/letters/tokenizer.json": letters,
    "assets/pieces/tokenizer.json": pieces,
  });
  try {
    const { compilation } = await compileFixture(project);
    expect(compilation.diagnostics).toEqual([]);
    const build = compilation.build;
    if (build === undefined) throw new Error("no build");
    manifestSchema.parse(build.manifest);
    const first = writeBuild(project.path("build"), build.tree);
    expect(first.unchanged).toBe(0);
    const again = await compileFixture(project);
    const second = writeBuild(project.path("build"), again.compilation.build?.tree ?? new Map());
    expect({ written: second.written, deleted: second.deleted }).toEqual({ written: [], deleted: [] });
    // It is the same in every build; test/client/core.test.ts checks it.
    rmSync(project.path("build/client/core"), { recursive: true });
    expectTree(project.path("build"), join(folder, name, "expected"));
  } finally {
    project.remove();
  }
});
