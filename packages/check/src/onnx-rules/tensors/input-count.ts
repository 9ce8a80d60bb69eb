import type { ModelConfig } from "@tritype/triton";
import { modelRule, type Rule } from "../../rule.ts";
import { judgedGraphs, showNames } from "./judged-graphs.ts";

/** Compares the number of graph inputs with the number that the configuration accounts for, regardless of names. */
export const inputCount: Rule = modelRule(
  {
    code: "onnx-model/input-count",
    disputesTensors: true,
    triton: ["58"],
    judged: "recorded",
    words:
      "unable to load model '{model}', configuration expects {expected:n} inputs, model provides {actual:n}",
    message: "`{model}` accounts for {expected} inputs ({parts}); `{file}` has {actual}: {names}",
    help: "list every input of the graph once; an input with a default inside the graph is listed as optional or not at all",
    reason:
      "The number of required inputs, batch inputs, sequence controls and states together must equal the number of the graph's inputs.",
  },
  (model, report) => {
    for (const { path, graph, config } of judgedGraphs(model)) {
      const parts = inputParts(config);
      const expected = parts.reduce((sum, { count }) => sum + count, 0);
      if (expected === graph.inputs.length) continue;
      report(model.at(["input"], `${expected} accounted for`), {
        expected,
        parts: parts.map(({ count, what }) => `${count} ${what}`).join(", ") || "none",
        file: path,
        actual: graph.inputs.length,
        names: showNames(graph.inputs),
      });
    }
  },
);

interface InputPart {
  readonly count: number;
  readonly what: string;
}

const inputParts = ({ input = [], batch_input = [], sequence_batching }: ModelConfig): readonly InputPart[] =>
  [
    { count: input.filter(({ optional }) => optional !== true).length, what: "required" },
    { count: batch_input.length, what: "batch inputs" },
    { count: sequenceControls(sequence_batching).length, what: "sequence controls" },
    { count: sequence_batching?.state?.length ?? 0, what: "states" },
  ].filter(({ count }) => count > 0);

/** The control tensors that the backend looks for: one of each kind. */
export interface SequenceControl {
  readonly index: number;
  readonly name: string;
  readonly dataType: string;
}

const kinds = [
  "CONTROL_SEQUENCE_START",
  "CONTROL_SEQUENCE_END",
  "CONTROL_SEQUENCE_READY",
  "CONTROL_SEQUENCE_CORRID",
] as const;

export const sequenceControls = (sequence: ModelConfig["sequence_batching"]): readonly SequenceControl[] =>
  kinds.flatMap((kind) => {
    const inputs = sequence?.control_input ?? [];
    const index = inputs.findIndex(({ control = [] }) =>
      control.some((one) => (one.kind ?? "CONTROL_SEQUENCE_START") === kind),
    );
    const { name = "", control = [] } = inputs[index] ?? {};
    const found = control.find((one) => (one.kind ?? "CONTROL_SEQUENCE_START") === kind);
    return name === "" || found === undefined ? [] : [{ index, name, dataType: dataTypeOf(found) }];
  });

type Control = NonNullable<
  NonNullable<NonNullable<ModelConfig["sequence_batching"]>["control_input"]>[number]["control"]
>[number];

const dataTypeOf = (control: Control): string => {
  if (control.kind === "CONTROL_SEQUENCE_CORRID") return control.data_type ?? "TYPE_INVALID";
  if (control.int32_false_true?.length) return "TYPE_INT32";
  return control.fp32_false_true?.length ? "TYPE_FP32" : "TYPE_BOOL";
};
