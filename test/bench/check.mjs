import { join } from "node:path";
import { mkdirSync, writeFileSync } from "node:fs";
import { runNode } from "./child.mjs";
import { inTurn } from "./measure.mjs";
import { makeProject, pipelineBin } from "./projects.mjs";
import { identityConfig, identityModel } from "./repository.mjs";

const sizes = [1000, 10_000];
const width = 16;

/**
 * `pipeline check` of generated repositories, as whole processes; of every ten models, five are ONNX, three Python and
 * two ensembles.
 */
export const check = async (runs = 3) => {
  const repositories = sizes.map((models) => ({ models, project: makeModels(models) }));
  try {
    const command = (root) => runNode([pipelineBin, "check", "models"], { cwd: root }).took;
    const summaries = await inTurn(
      Object.fromEntries(
        repositories.map(({ models, project: { root } }) => [`${models} models`, () => command(root)]),
      ),
      { runs, warmup: 0 },
    );
    const rows = [...summaries].map(([name, summary]) => ({
      name,
      ...summary,
      extra: { "ms/model": (summary.median / Number.parseInt(name, 10)).toFixed(2) },
    }));
    return [{ title: "pipeline check, whole process", rows, notes: [growthNote(summaries)] }];
  } finally {
    for (const { project } of repositories) project.remove();
  }
};

const growthNote = (summaries) => {
  const [small, large] = sizes.map((models) => summaries.get(`${models} models`).median);
  const further = (large - small) / (sizes[1] - sizes[0]);
  return `each additional model from ${sizes[0]} to ${sizes[1]}: ${further.toFixed(2)} ms`;
};

/** Writes every file, so that each is read and parsed as a user's would be. The check reports nothing. */
const makeModels = (count) => {
  const project = makeProject();
  const onnx = identityModel("identity", width);
  for (let i = 0; i < count; i++) {
    const version = join(project.root, "models", nameOf(i), "1");
    mkdirSync(version, { recursive: true });
    const kind = i % 10;
    if (kind < 5) writeFileSync(join(version, "model.onnx"), onnx);
    else if (kind < 8) writeFileSync(join(version, "model.py"), pythonModel);
    writeFileSync(join(version, "..", "config.pbtxt"), configOf(i, kind));
  }
  return project;
};

const nameOf = (i) => `model_${i}`;

const configOf = (i, kind) => {
  if (kind < 5) return identityConfig(nameOf(i), width);
  return kind < 8 ? tensors(i, 'backend: "python"') : ensembleConfig(i, kind);
};

const tensors = (i, backend) => `name: "${nameOf(i)}"
${backend}
max_batch_size: 8
input [ { name: "x" data_type: TYPE_FP32 dims: [ ${width} ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ ${width} ] } ]
`;

/** An ONNX model and a Python model out of the same ten, called one after the other. */
const ensembleConfig = (i, kind) => {
  const first = i - kind;
  const step = (model, x, y) => `    { model_name: "${nameOf(model)}" model_version: -1
      input_map { key: "x" value: "${x}" } output_map { key: "y" value: "${y}" } }`;
  return `${tensors(i, 'platform: "ensemble"')}ensemble_scheduling {
  step [
${step(first + kind - 8, "x", "between")},
${step(first + kind - 3, "between", "y")}
  ]
}
`;
};

const pythonModel = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", x)]))
        return responses
`;
