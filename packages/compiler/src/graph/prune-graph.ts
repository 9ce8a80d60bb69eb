import type { Graph } from "@tritype/core";

/** Ids of the nodes that an output needs. */
export const reachable = (graph: Graph): ReadonlySet<string> => {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const found = new Set<string>();
  const queue = Object.values(graph.outputs).map(({ node }) => node);
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    queue.push(...Object.values(byId.get(id)?.inputs ?? {}).map(({ node }) => node));
  }
  return found;
};

/** The graph without the nodes that no output needs. */
export const pruneGraph = (graph: Graph): Graph => {
  const keep = reachable(graph);
  return { ...graph, nodes: graph.nodes.filter(({ id }) => keep.has(id)) };
};
