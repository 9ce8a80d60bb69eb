import { expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { pipeline } from "./run-pipeline.ts";
import { project } from "./small-project.ts";

/** Adds the inputs that a request has. */
const model = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            total = pb_utils.get_input_tensor_by_name(request, "constructor").as_numpy()
            more = pb_utils.get_input_tensor_by_name(request, "valueOf")
            total = total if more is None else total + more.as_numpy()
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("toString", total)]))
        return responses
`;

const source = `import { defineEnsemble, fp32, optional, python } from "tritype";

const types = { constructor: fp32("batch", 1), valueOf: optional(fp32("batch", 1)) };
const add = python({
  name: "constructor",
  file: "steps/add.py",
  inputs: types,
  outputs: { toString: fp32("batch", 1) },
});
export const all = defineEnsemble({
  name: "toString",
  maxBatchSize: 8,
  inputs: types,
  run: (given) => {
    const { toString: total } = add(given);
    return { hasOwnProperty: total, isPrototypeOf: total.mul(2) };
  },
  warmup: [{ name: "valueOf", inputs: { constructor: [[1]] } }],
});
`;

test("models, tensors, samples and profiles may have the names of JavaScript's own properties", async () => {
  const made = project({
    "pipeline.ts": source,
    "steps/add.py": model,
    "pipeline.config.ts": `import { defineConfig } from "tritype";
export default defineConfig({ profiles: { constructor: { instanceGroup: [{ kind: "cpu", count: 2 }] }, valueOf: {} } });
`,
  });
  const env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  const built = await pipeline(made, ["build"], { env });
  expect(built.err).not.toMatch(/error|warning/);
  for (const more of [[], ["--profile", "constructor"]]) {
    const values = ["-i", "constructor=[[1],[2]]"];
    const { out, err } = await pipeline(made, ["run", "toString", "--json", ...values, ...more], { env });
    expect(err).not.toContain("error");
    expect(JSON.parse(out)).toMatchObject({
      model_name: "toString",
      outputs: [
        { name: "hasOwnProperty", data: [1, 2] },
        { name: "isPrototypeOf", data: [2, 4] },
      ],
    });
  }
}, 60_000);
