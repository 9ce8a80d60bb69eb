import { type Graph, type GraphNode, invariant, type OperatorNode, type Port } from "@tritype/core";
import { portKey } from "./port-key.ts";

/** Adjacent operators, compiled to one ONNX model. */
export interface Region {
  /** Includes constants and constant expressions, of which each region has its own copy; operands come before their users. */
  readonly nodes: readonly OperatorNode[];
  /** Tensors that the region reads from inputs, steps and other regions. */
  readonly inputs: readonly Port[];
  /** Tensors of the region that a step, another region or an output of the ensemble reads. */
  readonly outputs: readonly Port[];
}

/**
 * Groups the operators. Two operators may share a model only if there is no step between them. An operator's level is
 * the number of steps before it, or more if only later operators need it. Operators on the same level that are
 * adjacent, or that read the same output of a step, form one region.
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
    const path: string[] = [];
    let at = id;
    for (let parent = groups.get(at); parent !== undefined && parent !== at; parent = groups.get(at)) {
      path.push(at);
      at = parent;
    }
    for (const step of path) groups.set(step, at);
    return at;
  };
  const readers = new Map<string, string>();
  for (const node of live)
    for (const port of Object.values(node.inputs)) {
      if (constants.has(port.node)) continue;
      const producer = byId.get(port.node);
      const level = levels.get(node.id);
      const shared = `${level} ${portKey(port)}`;
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
    const list = members.get(group) ?? [];
    list.push(node);
    members.set(group, list);
  }
  const index = indexGraph(graph);
  return [...members.values()].map((nodes) => closeRegion(nodes, index, constants));
};

interface GraphIndex {
  readonly byId: ReadonlyMap<string, GraphNode>;
  readonly position: ReadonlyMap<string, number>;
  /** Node id → the consumers of its tensors, in graph order; outputs of the ensemble last. */
  readonly takers: ReadonlyMap<
    string,
    readonly { readonly by: string | undefined; readonly at: number; readonly port: Port }[]
  >;
}

const indexGraph = (graph: Graph): GraphIndex => {
  const takers = new Map<
    string,
    { readonly by: string | undefined; readonly at: number; readonly port: Port }[]
  >();
  const take = (port: Port, by: string | undefined, at: number): void => {
    const list = takers.get(port.node) ?? [];
    list.push({ by, at, port });
    takers.set(port.node, list);
  };
  graph.nodes.forEach((node, at) => {
    for (const port of Object.values(node.inputs)) take(port, node.id, at);
  });
  Object.values(graph.outputs).forEach((port, at) => take(port, undefined, graph.nodes.length + at));
  return {
    byId: new Map(graph.nodes.map((node) => [node.id, node])),
    position: new Map(graph.nodes.map((node, at) => [node.id, at])),
    takers,
  };
};

/** Operators that do not depend on any input: constants, and values computed only from constants. */
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
  { byId, position, takers }: GraphIndex,
  constants: ReadonlySet<string>,
): Region => {
  const own = new Set(live.map(({ id }) => id));
  const needed = new Set(own);
  const queue = [...own];
  for (let id = queue.pop(); id !== undefined; id = queue.pop())
    for (const port of Object.values(byId.get(id)?.inputs ?? {}))
      if (constants.has(port.node) && !needed.has(port.node)) {
        needed.add(port.node);
        queue.push(port.node);
      }
  const nodes = [...needed]
    .toSorted((a, b) => (position.get(a) ?? 0) - (position.get(b) ?? 0))
    .flatMap((id) => {
      const node = byId.get(id);
      return node?.kind === "operator" ? [node] : [];
    });
  const taken = live
    .flatMap(({ id }) => takers.get(id) ?? [])
    .filter(({ by }) => by === undefined || !own.has(by))
    .toSorted((a, b) => a.at - b.at)
    .map(({ port }) => port);
  const read = nodes.flatMap((node) => Object.values(node.inputs)).filter(({ node }) => !needed.has(node));
  invariant(taken.length > 0, `nothing uses ${live.map(({ id }) => id).join(", ")}`);
  return { nodes, inputs: unique(read), outputs: unique(taken) };
};

/** The ports without duplicates. */
export const unique = (ports: readonly Port[]): readonly Port[] => [
  ...new Map(ports.map((port) => [portKey(port), port])).values(),
];
