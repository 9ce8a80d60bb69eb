import type { ModelContext } from "../model-context.ts";
import { onnxFiles } from "../onnx-rules/onnx-file.ts";
import { folderOf } from "../python/model-py.ts";
import { modelRule, type Rule } from "../rule.ts";

const sides = ["input", "output"] as const;

const portNames = (model: ModelContext, side: (typeof sides)[number]): readonly (string | undefined)[] =>
  (model.written[side] ?? []).map(({ name }) => name);

const duplicateName: Rule = modelRule(
  {
    code: "tensor/duplicate-name",
    triton: ["50"],
    severity: "warning",
    judged: "ours",
    message: "`{model}` declares the {side} `{tensor}` twice",
    help: "give every {side} a name of its own",
    reason:
      "Triton loads it: metadata shows both, requests are held against the first, and the backend is handed the second's rows too. No request can send both: \"input 'I' already exists in request\".",
  },
  (model, report) => {
    for (const side of sides) {
      const names = portNames(model, side);
      for (const [index, name] of names.entries()) {
        const first = names.indexOf(name);
        if (name === undefined || name === "" || first === index) continue;
        report({
          with: { model: model.name, side, tensor: name },
          labels: [model.at([side, index, "name"], "again"), model.at([side, first, "name"], "the first")],
        });
      }
    }
  },
);

const numericOutput: Rule = modelRule(
  {
    code: "onnx-model/numeric-output",
    triton: [],
    severity: "warning",
    judged: "ours",
    message: "an output of `{model}` is called `{tensor}`: the exporter numbered it",
    help: "export the model again with `output_names` (`torch.onnx.export(…, output_names=[\"…\"])`)",
    reason:
      "The number is the exporter's count of nodes: clients have to spell it out, and the next export has another one, so every client breaks.",
  },
  (model, report) => {
    const declared = model.config.output ?? [];
    const { backend } = model.config;
    if (backend !== "onnxruntime" && backend !== "tensorrt") return;
    if (declared.length > 0) {
      for (const [index, { name = "" }] of declared.entries())
        if (/^\d+$/.test(name))
          report({
            with: { model: model.name, tensor: name },
            labels: [model.at(["output", index, "name"], "a number for a name")],
          });
      return;
    }
    for (const { path, found } of onnxFiles(model).slice(-1))
      if (found.kind === "graph")
        for (const { name } of found.graph.outputs)
          if (/^\d+$/.test(name))
            report({
              with: { model: model.name, tensor: name },
              labels: [
                { span: { file: `${folderOf(model)}/${path}`, line: 1, column: 1 }, text: "a number for a name" },
              ],
            });
  },
);

export const namingRules: readonly Rule[] = [duplicateName, numericOutput];
