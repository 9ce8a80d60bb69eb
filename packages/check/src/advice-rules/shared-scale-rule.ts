import { onnxFiles } from "../model/onnx-file.ts";
import { folderOf } from "../python/model-py/model-py.ts";
import { repositoryRule, type Rule } from "../rule.ts";

export const sharedScale: Rule = repositoryRule(
  {
    code: "batch/shared-scale",
    message:
      "`{model}` quantizes all rows of a batch with one scale ({nodes}): a result depends on the rest of its batch",
    help: "measure how much results change; if the change is too large, quantize statically or remove `dynamic_batching`",
    reason:
      "Dynamic quantization derives its scale from the largest and smallest values in the whole tensor, so how a row is rounded depends on the other rows. The same request gets a different result under load than alone; the size of the difference depends on the model.",
  },
  ({ models }, report) => {
    for (const { model, assumed } of models.values()) {
      const { dynamic_batching: dynamic, max_batch_size: size = 0 } = assumed ?? {};
      const file = onnxFiles(model).at(-1);
      if (dynamic === undefined || size <= 1 || file?.found.kind !== "graph") continue;
      const { sharedScales } = file.found.graph;
      if (sharedScales.length === 0) continue;
      const span = { file: `${folderOf(model)}/${file.path}`, line: 1, column: 1 };
      report([model.at(["dynamic_batching"], "merges requests"), { span, text: "one scale for all rows" }], {
        model: model.name,
        nodes: counted(sharedScales),
      });
    }
  },
);

/** `12 × DynamicQuantizeLinear`. */
const counted = (operators: readonly string[]): string =>
  [...new Set(operators)]
    .map((operator) => `${operators.filter((other) => other === operator).length} × \`${operator}\``)
    .join(", ");
