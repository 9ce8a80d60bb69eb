import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { routedFiles } from "../fixtures/routed.ts";
import { pipeline } from "./run-pipeline.ts";
import { project } from "./small-project.ts";

const source = `import { bytes, defineEnsemble, fp32, python } from "tritype";

const count = python({
  name: "count",
  file: "steps/count.py",
  inputs: { text: bytes("batch", 1) },
  outputs: { words: fp32("batch", 1) },
  requirements: ["regex==2024.11.6"],
});

export const length = defineEnsemble({
  name: "length",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ words: count({ text }).words }),
});
`;
const model = `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            text = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
            words = np.array([[len(row.split())] for row in text.reshape(-1)], np.float32)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("words", words)]))
        return responses
`;
const counting = (python: string) => project({ "pipeline.ts": source, "steps/count.py": python });

test("the author's model.py runs locally, and its requirements reach the container", async () => {
  const one = counting(model);
  const built = await pipeline(one, ["build"]);
  expect(built).toMatchObject({ code: 0 });
  expect(readFileSync(one.path("build/requirements.txt"), "utf8")).toMatch(/^regex==2024\.11\.6$/m);
  expect(readFileSync(one.path("build/model_repository/count/1/model.py"), "utf8")).toBe(model);
  const ran = await pipeline(one, ["run", "length", "text=three small words"], {
    env: { TRITYPE_PYTHON: await pythonWithNumpy() },
  });
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.out).toContain("3");
});

test("a finding in model.py is reported once, and names the profiles if it applies only to some of them", async () => {
  const wrong = model
    .replace("np.float32", "np.int64")
    .replace(
      "    def execute",
      '    def initialize(self, args):\n        self.most = json.loads(args["model_config"])["parameters"]["most"]\n\n    def execute',
    );
  const one = project({
    "pipeline.ts": source.replace(
      "  requirements:",
      '  profiles: { gpu: { parameters: { most: "3" } } },\n  requirements:',
    ),
    "pipeline.config.ts": "export default { profiles: { gpu: {}, cpu: {} } };\n",
    "steps/count.py": `import json\n${wrong}`,
  });
  const { err } = await pipeline(one, ["build"]);
  expect(err.match(/(?<=\[)[a-z]+\/[a-z-]+(?=\])/g)).toEqual([
    "python/missing-parameter",
    "python/wrong-dtype",
  ]);
  expect(err.match(/= note: .*/g)).toEqual(["= note: only without a profile and with the profile `cpu`"]);
});

test("an import that no requirement provides is reported at its line if the build describes a container", async () => {
  const importing = `import pandas\nimport regex\n${model}`;
  const said = await pipeline(counting(importing), ["build"]);
  expect(said.code).toBe(0);
  expect(said.err).toContain(
    "warning[python/missing-requirement]: `1/model.py` of `count` imports `pandas`,",
  );
  expect(said.err).toMatch(/┌─ steps\/count\.py:1:8/);
  expect(said.err.match(/\[python\//g)).toHaveLength(1);
  for (const docker of ['{ baseImage: "our/triton:1" }', "false"]) {
    const own = counting(importing);
    own.write("pipeline.config.ts", `export default { docker: ${docker} };\n`);
    expect((await pipeline(own, ["build"])).err).not.toContain("missing-requirement");
  }
});

test.each([
  ["an output that is not declared", '"words", words', '"word", words', "python/undeclared-output", false],
  ["another dtype", "np.float32", "np.int64", "python/wrong-dtype", true],
  ["a file that is not Python", "responses = []", "responses = [", "python/syntax-error", true],
  ["another name of the class", "class TritonPythonModel", "class Model", "python/no-model-class", true],
  ["no execute", "def execute(self, requests)", "def run(self, requests)", "python/no-execute", true],
])("%s is reported at the line of the author's file", async (_, from, to, code, refused) => {
  const one = counting(model.replace(from, to));
  const built = await pipeline(one, ["build"]);
  expect(built.err).toContain(`[${code}]`);
  expect(built.err).toMatch(/┌─ steps\/count\.py:\d+:\d+/);
  expect(built.err).not.toContain("a bug in tritype");
  expect(built.code).toBe(refused ? 1 : 0);
  expect(existsSync(one.path("build"))).toBe(!refused);
});

test("models that the code calls are in the build if the step lists them in `uses`", async () => {
  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  const one = project(routedFiles);
  const ran = await pipeline(one, ["run", "routed", "-i", "x=[[1,2,3,4]]"], { env });
  expect(ran).toMatchObject({ code: 0, out: "y FP32[1, 4]\n  [2, 4, 6, 8]\n" });
  expect(ran.err).toContain(
    "warning[tensor/label-count]: `labels.txt` has 1 label, but output `y` of `double` has 4 elements",
  );
  expect(existsSync(one.path("build/model_repository/negated/config.pbtxt"))).toBe(true);
  const unlisted = project({
    ...routedFiles,
    "pipeline.ts": String(routedFiles["pipeline.ts"]).replace("[double, negated]", "[negated]"),
  });
  const built = await pipeline(unlisted, ["build"]);
  expect(built.code).toBe(0);
  expect(existsSync(unlisted.path("build/model_repository/double"))).toBe(false);
});
