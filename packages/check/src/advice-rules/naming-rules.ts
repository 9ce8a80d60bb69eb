import type { ModelContext } from "../model-context.ts";
import { onnxFiles } from "../model/onnx-file.ts";
import { folderOf } from "../python/model-py/model-py.ts";
import { modelRule, type Rule } from "../rule.ts";

const portNames = (model: ModelContext, side: "input" | "output"): readonly (string | undefined)[] =>
  (model.written[side] ?? []).map(({ name }) => name);

interface Repeated {
  readonly name: string;
  readonly index: number;
  readonly first: number;
}

/** Positions of names that an earlier entry on the same side already has. */
const repeated = (model: ModelContext, side: "input" | "output"): readonly Repeated[] => {
  const firsts = new Map<string, number>();
  return portNames(model, side).flatMap((name = "", index) => {
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, index);
    return name === "" || first === undefined ? [] : [{ name, index, first }];
  });
};

const duplicateInput: Rule = modelRule(
  {
    code: "tensor/duplicate-input",
    triton: ["50"],
    severity: "error",
    judged: "ours",
    message: "`{model}` declares the input `{tensor}` twice",
    help: "give every input a different name",
    reason:
      'Triton loads the model but refuses every request: a request with one `x` gets "expected 2 inputs but got 1 inputs", and a request with two gets "input \'x\' already exists in request".',
  },
  (model, report) => {
    for (const { name, index, first } of repeated(model, "input")) {
      const rows = model.written.input ?? [];
      if (rows[index]?.optional === true || rows[first]?.optional === true) continue;
      report([model.at(["input", index, "name"], "again"), model.at(["input", first, "name"], "the first")], {
        tensor: name,
      });
    }
  },
);

const duplicateOutput: Rule = modelRule(
  {
    code: "tensor/duplicate-output",
    triton: ["50"],
    judged: "ours",
    message: "`{model}` declares the output `{tensor}` twice",
    help: "give every output a different name",
    reason:
      "Triton loads the model and lists both outputs in the metadata, but responses contain only one. Clients and ensembles that read the metadata cannot tell which type the output has.",
  },
  (model, report) => {
    for (const { name, index, first } of repeated(model, "output"))
      report(
        [model.at(["output", index, "name"], "again"), model.at(["output", first, "name"], "the first")],
        { tensor: name },
      );
  },
);

const numericOutput: Rule = modelRule(
  {
    code: "onnx-model/numeric-output",
    message: "an output of `{model}` is named `{tensor}`, a number that the exporter assigned",
    help: 'export the model again with `output_names` (`torch.onnx.export(…, output_names=["…"])`)',
    reason:
      "The number comes from the exporter's node count. Clients must use this name, but the next export may have a different number, which would break every client.",
  },
  (model, report) => {
    const declared = model.config.output ?? [];
    const { backend } = model.config;
    if (backend !== "onnxruntime" && backend !== "tensorrt") return;
    if (declared.length > 0) {
      for (const [index, { name = "" }] of declared.entries())
        if (/^\d+$/.test(name))
          report(model.at(["output", index, "name"], "a number as a name"), { tensor: name });
      return;
    }
    for (const { path, found } of onnxFiles(model).slice(-1))
      if (found.kind === "graph")
        for (const { name } of found.graph.outputs)
          if (/^\d+$/.test(name))
            report(
              {
                span: { file: `${folderOf(model)}/${path}`, line: 1, column: 1 },
                text: "a number as a name",
              },
              { tensor: name },
            );
  },
);

export const namingRules: readonly Rule[] = [duplicateInput, duplicateOutput, numericOutput];
