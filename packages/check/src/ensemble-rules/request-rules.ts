import { modelRule, type Rule } from "../rule.ts";
import { ensembleGraph } from "../model/ensemble-graph.ts";
import { stepPath } from "./ensemble-problem.ts";

const writtenInputRule = modelRule(
  {
    code: "ensemble/written-input",
    triton: ["112"],
    severity: "error",
    judged: "ours",
    neverAnswers: true,
    reason:
      "The ensemble loads. If the step needs the tensor that it writes, requests never finish; otherwise they are answered twice (HTTP 500, `expected a single response, got 2`).",
    message: "step {step} of ensemble `{model}` writes `{tensor}`, which is an input of the ensemble",
    help: "give the step's tensor another name",
  },
  (model, report) => {
    const graph = ensembleGraph(model.config);
    for (const [tensor, { step, port }] of graph?.writers ?? []) {
      if (graph?.inputs.has(tensor) !== true) continue;
      const input = (model.config.input ?? []).findIndex(({ name }) => name === tensor);
      report(
        [
          model.at(stepPath(step, "output_map", port), "written here"),
          model.at(["input", input, "name"], "comes with the request"),
        ],
        { step, tensor },
      );
    }
  },
);

const sharedOutputRule = modelRule(
  {
    code: "ensemble/shared-output",
    triton: ["112"],
    judged: "ours",
    reason:
      "Requests for all outputs succeed, but a request for only some of them fails with `unexpected deadlock, at least one output is not set`.",
    message:
      "output `{tensor}` of ensemble `{model}` is also read by step {step}: requests for some of the outputs fail",
    help: "return `{tensor}` under a second name, through a step that copies it",
  },
  (model, report) => {
    const graph = ensembleGraph(model.config);
    if (graph === undefined || graph.outputs.size < 2) return;
    for (const [i, { name: tensor = "" }] of (model.config.output ?? []).entries()) {
      const [reader] = graph.readers.get(tensor) ?? [];
      if (reader === undefined) continue;
      report(
        [
          model.at(["output", i, "name"], "returned"),
          model.at(stepPath(reader.step, "input_map", reader.port), "and read"),
        ],
        { tensor, step: reader.step },
      );
    }
  },
);

/** Ensembles that load but whose wiring prevents responses. */
export const requestRules: readonly Rule[] = [writtenInputRule, sharedOutputRule];
