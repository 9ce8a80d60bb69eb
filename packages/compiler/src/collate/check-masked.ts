import { type Diagnostic, type Dim, type Graph, showDim, type TensorType } from "@tritype/core";
import { operators, type PaddedOperand, type Padding } from "@tritype/operators";
import { labels } from "../graph/infer-graph.ts";
import { portKey } from "../graph/port-key.ts";
import type { EnsembleDefinition } from "../graph/program.ts";
import { diagnoseCollate } from "./collate-diagnostics.ts";
import type { TokenizerCall } from "./find-tokenizer.ts";

/** A tokenizer's padding values, if they differ from all tokens of a text. */
const atPadding: Readonly<Record<string, number>> = { attention_mask: 0 };

/**
 * Tracks the values at padding positions through the tensor math after the tokenizer. Where operators combine elements
 * along a sequence, these values must not change the result. The build's proof shows how models handle padding.
 */
export const checkMasked = (
  ensemble: EnsembleDefinition,
  graph: Graph,
  { node: tokenizer }: TokenizerCall,
  side: "left" | "right",
): readonly Diagnostic[] => {
  const known = new Map<string, PaddedOperand>();
  const diagnostics: Diagnostic[] = [];
  for (const node of graph.nodes) {
    const outputs = Object.entries(node.outputs);
    if (node.kind !== "operator") {
      for (const [output, type] of outputs) {
        const value = node.id === tokenizer.id ? atPadding[output] : undefined;
        const axes = type.dims.map((dim) => (isSequence(dim) ? value : undefined));
        known.set(portKey({ node: node.id, output }), { type, padding: { axes } });
      }
      continue;
    }
    const operator = operators.get(node.operator);
    const operands = Object.values(node.inputs).flatMap((port) => known.get(portKey(port)) ?? []);
    const types = operands.map(({ type }) => type);
    const counted = (operator?.mixes?.(types, node.attributes) ?? []).find((mixed) => {
      const dim = types[mixed.operand]?.dims[mixed.axis];
      if (dim === undefined || !isSequence(dim) || mixed.verb === "moves") return false;
      return operator?.ignoresPadding?.(mixed, operands, node.attributes, side) !== true;
    });
    if (counted !== undefined)
      diagnostics.push(
        diagnoseCollate("collate/padding-counts", {
          with: {
            ensemble: ensemble.name,
            operator: node.operator,
            verb: counted.verb,
            dim: showDim(types[counted.operand]?.dims[counted.axis] ?? -1),
          },
          labels: [...labels(node, "here"), ...labels(tokenizer, "padded here")],
        }),
      );
    const padding = operator?.padding?.(operands, node.attributes);
    for (const [output, type] of outputs)
      known.set(portKey({ node: node.id, output }), { type, padding: fitted(padding, type) });
  }
  return diagnostics;
};

/** After a tokenizer, every size that is not fixed may be the length of a text. */
const isSequence = (dim: Dim): boolean => dim !== "batch" && (typeof dim === "string" || dim === -1);

const fitted = (padding: Padding | undefined, { dims }: TensorType): Padding =>
  padding?.axes.length === dims.length ? padding : { axes: dims.map(() => undefined) };
