import { type Json, tensorOf } from "@tritype/core";
import { needIndices } from "./dtype-rules.ts";
import { failed, operandAt, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";

/** Attribute: `labels`. Each index becomes its label; -1 is the last label. An index without a label fails the run. */
export const lookup: Operator = {
  name: "lookup",
  infer(operands, { labels }) {
    const indices = operandAt(operands, 0);
    const problem = needIndices(indices, 0);
    if (problem !== undefined) return problem;
    return isLabels(labels) && labels.length > 0
      ? single("BYTES", indices.dims)
      : failed(
          "shape/bad-constant",
          `lookup takes a list of one or more strings, got ${JSON.stringify(labels)}`,
        );
  },
  labelCount: ({ labels }) => (isLabels(labels) ? labels.length : 0),
  lower(builder, operands, { labels }) {
    const texts = isLabels(labels) ? labels : [];
    const table = builder.constant(tensorOf("BYTES", [texts.length], texts));
    return { out: builder.node("Gather", [table, operandAt(operands, 0).name], { axis: { int: 0 } })[0] };
  },
};

const isLabels = (labels: Json | undefined): labels is readonly string[] =>
  Array.isArray(labels) && labels.every((label) => typeof label === "string");
