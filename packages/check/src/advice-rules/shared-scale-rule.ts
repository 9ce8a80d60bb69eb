import { completeByBackend } from "../completion/complete-by-backend.ts";
import { onnxFiles } from "../model/onnx-file.ts";
import { folderOf } from "../python/model-py/model-py.ts";
import { modelRule, type Rule } from "../rule.ts";

export const sharedScale: Rule = modelRule(
  {
    code: "batch/shared-scale",
    message:
      "`{model}` quantizes all rows of a batch with one scale ({nodes}): a result depends on the rest of its batch",
    help: "measure how much results change; if the change is too large, quantize statically or remove `dynamic_batching`",
    reason:
      "Dynamic quantization derives its scale from the largest and smallest values in the whole tensor, so how a row is rounded depends on the other rows. The same request gets a different result under load than alone; the size of the difference depends on the model.",
  },
  (model, report) => {
    const completed = completeByBackend(model);
    if ("refused" in completed) return;
    const { dynamic_batching: dynamic, max_batch_size: size = 0 } = completed.config;
    if (dynamic === undefined || size <= 1) return;
    const file = onnxFiles(model).at(-1);
    if (file?.found.kind !== "graph" || file.found.graph.sharedScales.length === 0) return;
    const span = { file: `${folderOf(model)}/${file.path}`, line: 1, column: 1 };
    report([model.at(["dynamic_batching"], "merges requests"), { span, text: "one scale for all rows" }], {
      nodes: counted(file.found.graph.sharedScales),
    });
  },
);

/** `12 × DynamicQuantizeLinear`. */
const counted = (operators: readonly string[]): string =>
  [...new Set(operators)]
    .map((operator) => `${operators.filter((other) => other === operator).length} × \`${operator}\``)
    .join(", ");
