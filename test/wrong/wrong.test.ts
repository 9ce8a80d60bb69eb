import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hasErrors } from "@tritype/core";
import { judgeBuild } from "@tritype/project";
import { afterAll, beforeAll, expect, test } from "vitest";
import { doubleModel, encoderModel, meanIdModel, scaleModel, torchscript } from "../fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture, renderAll } from "../fixtures/project.ts";
import { tinyExport } from "../fixtures/tiny-export.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const cases = readdirSync(folder)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => file.slice(0, -3));

/** Adds the inputs of a sequence, with a state. */
const sumWithState = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            total = x + pb_utils.get_input_tensor_by_name(request, "sum_in").as_numpy()
            outputs = [pb_utils.Tensor("y", total), pb_utils.Tensor("sum_out", total)]
            responses.append(pb_utils.InferenceResponse(outputs))
        return responses
`;

let project: ProjectFixture;
beforeAll(() => {
  project = makeProject({
    "models/encoder.onnx": encoderModel(),
    "models/encoder-batch-1.onnx": encoderModel({ batch: 1 }),
    ...tinyExport("bart", "models/bart"),
    "models/double.onnx": doubleModel(),
    "models/double-open.onnx": doubleModel("n"),
    "models/scale.onnx": scaleModel(3),
    "models/mean-id.onnx": meanIdModel(),
    "models/double.pt": torchscript("double"),
    "models/classify.pt": torchscript("classify"),
    "models/fixed-size.pt": torchscript("fixed-size"),
    "models/scale.pt": torchscript("scale"),
    "models/weights.pt": torchscript("weights"),
    "models/opset-26.onnx": doubleModel(4, 26),
    "models/broken.onnx": "<!DOCTYPE html><title>Not Found</title>",
    "steps/double.py": "class TritonPythonModel: ...\n",
    "steps/send.py":
      "from replies import respond\n\n\nclass TritonPythonModel:\n    def execute(self, requests):\n        return list(map(respond, requests))\n",
    "steps/sum.py": sumWithState,
    "steps/words.txt": "two\n",
    "assets/odd/tokenizer.json": '{ "model": { "type": "Telepathy" } }',
    "pipeline.config.ts":
      'import { defineConfig } from "tritype";\nexport default defineConfig({ profiles: { gpu: {}, cpu: {} } });\n',
  });
});
afterAll(() => project.remove());

test("there are at least 25 wrong pipelines", () => {
  expect(cases.length).toBeGreaterThanOrEqual(25);
});

test.each(cases)("%s gives exactly its diagnostics", async (name) => {
  const source = readFileSync(`${folder}${name}.ts`, "utf8");
  project.write("pipeline.ts", source);
  const compiled = await compileFixture(project);
  const { diagnostics, build } = judgeBuild(compiled);
  const text = renderAll(diagnostics, { "pipeline.ts": source });
  const expected = `${folder}${name}.txt`;
  if (process.env["UPDATE"] === "1") writeFileSync(expected, text);
  expect(existsSync(expected), `${name}.txt is missing; UPDATE=1 writes it`).toBe(true);
  expect(text).toBe(readFileSync(expected, "utf8"));
  expect(diagnostics.length).toBeGreaterThan(0);
  expect(build === undefined).toBe(hasErrors(diagnostics));
});

test("there are no stale expected messages", () => {
  const left = readdirSync(folder).filter(
    (file) => file.endsWith(".txt") && !cases.includes(file.slice(0, -4)),
  );
  expect(left).toEqual([]);
});
