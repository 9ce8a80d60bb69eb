import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checkRepository } from "@tritype/check";
import { defaultRelease } from "@tritype/triton";
import { expect, test } from "vitest";
import { type CaseFiles, caseHost } from "../judge/case-files.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const says = (files: CaseFiles): readonly string[] =>
  checkRepository(caseHost(files), { release: defaultRelease }).diagnostics.map(
    ({ code, labels: [label] }) => `${label?.span.file}:${label?.span.line} ${code}`,
  );

const golden = `${root}test/golden`;

test.each(
  readdirSync(golden, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
)("the emitted repository of %s has no findings", (name) => {
  const folder = `${golden}/${name}/expected/model_repository`;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => {
      const path = `${parentPath}/${file}`;
      return [path.slice(folder.length + 1), new Uint8Array(readFileSync(path))] as const;
    });
  expect(says(Object.fromEntries(files))).toEqual([]);
});

const io = `
backend: "python"
max_batch_size: 8
input { name: "x" data_type: TYPE_FP32 dims: 4 }
output { name: "y" data_type: TYPE_FP32 dims: 4 }`;

test("the backend that runs ONNX models on the wheel's server has no findings", () =>
  expect(
    says({
      "m/config.pbtxt": io,
      "m/1/model.py": readFileSync(`${root}packages/tritonserver/backends/onnxruntime/model.py`),
    }),
  ).toEqual([]));
