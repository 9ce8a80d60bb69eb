import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder, installTriton, withRequirements } from "@tritype/tritonserver";
import { expect, onTestFinished, test } from "vitest";
import { makeWheel } from "../../packages/wheels/src/package-index.fixture.ts";

test("a build's requirements are installed once, in addition to the packages of the server's Python", async () => {
  const folder = mkdtempSync(join(tmpdir(), "requirements-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { fileName, bytes } = makeWheel("demo-words", { "demo_words.py": "greeting = 'hello'\n" });
  writeFileSync(join(folder, fileName), bytes);
  const notices: string[] = [];
  const options = { cache: cacheFolder(process.env), notice: (line: string) => void notices.push(line) };
  const installed = await installTriton(options);
  expect(await withRequirements(installed, "numpy==1.26.4\n", options)).toBe(installed);
  const requirements = `# of the steps\nnumpy==1.26.4\n${join(folder, fileName)}\n`;
  const made = await withRequirements(installed, requirements, options);
  if (made.kind !== "wheel") return;
  onTestFinished(() => rmSync(made.environment, { recursive: true }));
  const script = "import demo_words, numpy, onnxruntime; print(demo_words.greeting, numpy.__version__)";
  expect(execFileSync(made.python, ["-c", script], { encoding: "utf8" })).toBe("hello 1.26.4\n");
  expect(notices.at(-1)).toContain(fileName);
  notices.length = 0;
  expect(await withRequirements(installed, requirements, options)).toEqual(made);
  expect(notices).toEqual([]);
});
