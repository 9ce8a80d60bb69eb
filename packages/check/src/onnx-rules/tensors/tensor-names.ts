import { didYouMean, nearHelp } from "@tritype/core";
import { modelRule, type Rule } from "../../rule.ts";
import { judgedGraphs, matchedRows, showNames } from "./judged-graphs.ts";

/** Rows whose names are not in the graph. */
export const unknownTensor: Rule = modelRule(
  {
    code: "onnx-model/unknown-tensor",
    disputesTensors: true,
    triton: ["59"],
    judged: "recorded",
    words: "unexpected inference {side} '{tensor}', allowed {side}s are: {allowed:line}",
    message: "{side} `{tensor}` of `{model}` is not in `{file}`, which has {names}",
    help: "use the graph's names; a viewer such as Netron shows them",
    reason: "Triton passes tensors to ONNX Runtime by name. You may omit outputs that you do not need.",
  },
  (model, report) => {
    for (const judged of judgedGraphs(model))
      for (const { side, index, name, tensor } of matchedRows(judged)) {
        if (tensor !== undefined) continue;
        const { inputs, overridable, outputs } = judged.graph;
        const candidates = side === "input" ? [...inputs, ...overridable] : outputs;
        const near = didYouMean(
          name,
          candidates.map((candidate) => candidate.name),
        );
        report(model.at([side, index, "name"], "not in the graph"), {
          side,
          tensor: name,
          file: judged.path,
          names: showNames(candidates),
          allowed: candidates
            .map((candidate) => candidate.name)
            .toSorted()
            .join(", "),
          help: nearHelp(near),
        });
      }
  },
);
