import { counted, type Diagnostic, type Port, type TensorType } from "@tritype/core";
import { operators } from "@tritype/operators";
import { diagnose } from "../diagnostics.ts";
import { labels, madeHere } from "../graph/infer-graph.ts";
import type { EnsembleDefinition } from "../graph/program.ts";

/** Checks that a list of labels has one for each position, where the number of positions is known. */
export const checkLabels = ({ graph }: EnsembleDefinition): readonly Diagnostic[] => {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const typeOf = ({ node, output }: Port): TensorType | readonly TensorType[] =>
    byId.get(node)?.outputs[output] ?? [];
  return graph.nodes.flatMap((node): readonly Diagnostic[] => {
    const [port] = Object.values(node.inputs);
    const maker = port && byId.get(port.node);
    if (node.kind !== "operator" || maker?.kind !== "operator") return [];
    const count = operators.get(node.operator)?.labelCount?.(node.attributes);
    const operands = Object.values(maker.inputs).flatMap(typeOf);
    const positions = operators.get(maker.operator)?.positions?.(operands, maker.attributes);
    const size = positions?.output === port?.output ? operands[0]?.dims[positions?.axis ?? -1] : undefined;
    if (count === undefined || typeof size !== "number" || size < 0 || size === count) return [];
    return [
      diagnose("graph/label-count", {
        with: {
          operator: node.operator,
          labels: counted(count, "label"),
          maker: maker.operator,
          elements: counted(size, "element"),
        },
        labels: [...labels(node, "here"), ...madeHere(maker, "")],
        ...(count > size
          ? { help: "remove the labels that are never used, or use the list of this model" }
          : {}),
      }),
    ];
  });
};
