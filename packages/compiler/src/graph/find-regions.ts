import { type Graph, type GraphNode, invariant, type OperatorNode, type Port } from "@tritype/core";

/** Operators that touch, compiled to one ONNX model. */
export interface Region {
  /** Constants and constant expressions included, each region its own copy; operands before their users. */
  readonly nodes: readonly OperatorNode[];
  /** Tensors it takes from inputs, steps and other regions. */
  readonly inputs: readonly Port[];
  /** Its tensors that a step, another region or an output of the ensemble takes. */
  readonly outputs: readonly Port[];
}

const key = ({ node, output }: Port): string => JSON.stringify([node, output]);

/**
 * Groups the operators. Two operators may share a model only if no step stands between them: an operator's level is the number
 * of steps before it, or later where only later operators need it; operators of one level that touch, or read the same tensor
 * of a step, are one region.
 */
export const findRegions = (graph: Graph): readonly Region[] => {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const constants = constantNodes(graph);
  const isLive = (node: GraphNode): node is OperatorNode =>
    node.kind === "operator" && !constants.has(node.id);
  const live = graph.nodes.filter(isLive);
  const levels = assignLevels(graph, constants);
  const groups = new Map(live.map((node) => [node.id, node.id]));
  const root = (id: string): string => {
    const parent = groups.get(id);
    return parent === undefined || parent === id ? id : root(parent);
  };
  const readers = new Map<string, string>();
  for (const node of live)
    for (const port of Object.values(node.inputs)) {
      if (constants.has(port.node)) continue;
      const producer = byId.get(port.node);
      const level = levels.get(node.id);
      const shared = `${level} ${key(port)}`;
      const other =
        producer !== undefined && isLive(producer) && levels.get(producer.id) === level
          ? producer.id
          : (readers.get(shared) ?? node.id);
      readers.set(shared, node.id);
      groups.set(root(node.id), root(other));
    }
  const members = new Map<string, OperatorNode[]>();
  for (const node of live) {
    const group = root(node.id);
    members.set(group, [...(members.get(group) ?? []), node]);
  }
  return [...members.values()].map((nodes) => closeRegion(nodes, graph, byId, constants));
};

/** Operators that depend on no input: constants, and what is computed from constants alone. */
export const constantNodes = (graph: Graph): ReadonlySet<string> => {
  const constants = new Set<string>();
  for (const node of graph.nodes)
    if (node.kind === "operator" && Object.values(node.inputs).every(({ node: id }) => constants.has(id)))
      constants.add(node.id);
  return constants;
};

const assignLevels = (graph: Graph, constants: ReadonlySet<string>): ReadonlyMap<string, number> => {
  const depth = new Map<string, number>();
  for (const node of graph.nodes) {
    const before = Math.max(0, ...Object.values(node.inputs).map((port) => depth.get(port.node) ?? 0));
    depth.set(node.id, before + (node.kind === "step" ? 1 : 0));
  }
  const levels = new Map(depth);
  const pinned = new Set(Object.values(graph.outputs).map(({ node }) => node));
  const latest = new Map<string, number>();
  for (const node of graph.nodes.toReversed()) {
    if (constants.has(node.id)) continue;
    if (node.kind === "operator" && !pinned.has(node.id))
      levels.set(node.id, latest.get(node.id) ?? depth.get(node.id) ?? 0);
    const level = levels.get(node.id) ?? 0;
    for (const { node: producer } of Object.values(node.inputs)) {
      if (node.kind === "step") pinned.add(producer);
      latest.set(producer, Math.min(latest.get(producer) ?? level, level));
    }
  }
  return levels;
};

const closeRegion = (
  live: readonly OperatorNode[],
  graph: Graph,
  byId: ReadonlyMap<string, GraphNode>,
  constants: ReadonlySet<string>,
): Region => {
  const own = new Set(live.map(({ id }) => id));
  const needed = new Set(own);
  const need = (id: string): void => {
    for (const port of Object.values(byId.get(id)?.inputs ?? {}))
      if (constants.has(port.node) && !needed.has(port.node)) {
        needed.add(port.node);
        need(port.node);
      }
  };
  for (const id of own) need(id);
  const nodes = graph.nodes.filter((node): node is OperatorNode => needed.has(node.id));
  const outside = graph.nodes.filter(({ id }) => !own.has(id)).flatMap((node) => Object.values(node.inputs));
  const taken = [...outside, ...Object.values(graph.outputs)].filter(({ node }) => own.has(node));
  const read = nodes.flatMap((node) => Object.values(node.inputs)).filter(({ node }) => !needed.has(node));
  invariant(taken.length > 0, `nothing uses ${live.map(({ id }) => id).join(", ")}`);
  return { nodes, inputs: unique(read), outputs: unique(taken) };
};

const unique = (ports: readonly Port[]): readonly Port[] => [
  ...new Map(ports.map((port) => [key(port), port])).values(),
];
