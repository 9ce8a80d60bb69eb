import type { ViewEdge, ViewGraph } from "./build-graph.ts";

/** The edges between nodes that an earlier graph also has, but connects by different tensors. */
export const changedEdges = (before: ViewGraph, after: ViewGraph): ReadonlySet<ViewEdge> => {
  const nodes = new Set(before.nodes.map(({ id }) => stableId(id)));
  const edges = new Set(before.edges.map(textOf));
  return new Set(
    after.edges.filter(
      (edge) => nodes.has(stableId(edge.from)) && nodes.has(stableId(edge.to)) && !edges.has(textOf(edge)),
    ),
  );
};

/** The ids of the steps that an earlier graph does not have. Of several steps with the same model, the last ones count as new. */
export const newSteps = (before: ViewGraph, after: ViewGraph): ReadonlySet<string> => {
  const left = new Map<string, number>();
  for (const { id } of before.nodes) left.set(stableId(id), (left.get(stableId(id)) ?? 0) + 1);
  return new Set(
    after.nodes.flatMap(({ id, role }) => {
      const known = left.get(stableId(id)) ?? 0;
      left.set(stableId(id), known - 1);
      return known > 0 || role !== "model" ? [] : [id];
    }),
  );
};

/** A step's number changes if another one is added before it. */
const stableId = (id: string): string => id.replaceAll(/(^|\/)\d+:/g, "$1");

const textOf = ({ from, to, kind, lines }: ViewEdge): string =>
  [stableId(from), stableId(to), kind, ...lines].join("\n");
