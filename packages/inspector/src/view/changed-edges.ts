import type { ViewEdge, ViewGraph } from "./build-graph.ts";

/** The edges of a graph whose nodes are also in an earlier graph, but not connected by the same tensors. */
export const changedEdges = (before: ViewGraph, after: ViewGraph): ReadonlySet<ViewEdge> => {
  const nodes = new Set(before.nodes.map(({ id }) => stableId(id)));
  const edges = new Set(before.edges.map(textOf));
  return new Set(
    after.edges.filter(
      (edge) => nodes.has(stableId(edge.from)) && nodes.has(stableId(edge.to)) && !edges.has(textOf(edge)),
    ),
  );
};

/** A step's number changes if another one is added before it. */
const stableId = (id: string): string => id.replaceAll(/(^|\/)\d+:/g, "$1");

const textOf = ({ from, to, kind, lines }: ViewEdge): string =>
  [stableId(from), stableId(to), kind, ...lines].join("\n");
