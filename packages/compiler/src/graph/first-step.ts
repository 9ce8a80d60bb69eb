import { type Graph, isOptional, type Port } from "@tritype/core";

/** A future step of the ensemble, in terms of the graph's nodes. */
export interface Unit {
  readonly reads: readonly string[];
  readonly makes: readonly string[];
}

/**
 * Triton leaves out the steps that the requested outputs do not need. Every input of the ensemble that becomes
 * unnecessary in this way is attributed to the *first* step (24.10: an input is looked up in the map of producers,
 * which returns 0). Triton then leaves that step out too, and reports "unexpected deadlock". A first step that depends
 * on every input is safe: while it is needed, all inputs are.
 * @param preferred The step to use if several are possible; default: the first one.
 */
export const safeFirst = <T extends Unit>(
  ordered: readonly T[],
  graph: Graph,
  preferred: (unit: T) => boolean = () => true,
): readonly T[] => {
  const reach = reachOf(ordered, graph);
  if (isSafe(ordered, graph, reach)) return ordered;
  const safe = ordered.filter((unit) => missing(unit, graph, reach).length === 0);
  const first = safe.find(preferred) ?? safe[0];
  return first === undefined ? ordered : [first, ...ordered.filter((unit) => unit !== first)];
};

/** The inputs that a unit lacks to be a safe first step; empty if there already is such a step or none is needed. */
export const missingForFirst = (
  ordered: readonly Unit[],
  graph: Graph,
): ((unit: Unit) => readonly Port[]) => {
  const reach = reachOf(ordered, graph);
  const done =
    isSafe(ordered, graph, reach) || ordered.some((other) => missing(other, graph, reach).length === 0);
  return (unit) => (done ? [] : missing(unit, graph, reach));
};

/**
 * Whether a request may lack a port. A model of tensor math needs all of its inputs, so it must not get such a port only to be
 * the first step.
 */
export const mayLack =
  (graph: Graph): ((port: Port) => boolean) =>
  ({ node, output }) =>
    graph.nodes.some(({ id, outputs: { [output]: type } }) => id === node && type && isOptional(type));

/** Node → the inputs of the ensemble that it depends on. */
type Reach = ReadonlyMap<string, ReadonlySet<string>>;

const reachOf = (ordered: readonly Unit[], graph: Graph): Reach => {
  const reach = new Map<string, ReadonlySet<string>>();
  for (const { kind, id } of graph.nodes) if (kind === "input") reach.set(id, new Set([id]));
  for (const { reads, makes } of ordered) {
    const all = new Set(reads.flatMap((id) => [...(reach.get(id) ?? [])]));
    for (const id of makes) reach.set(id, all);
  }
  return reach;
};

const inputsOf = (graph: Graph): readonly Port[] =>
  graph.nodes.flatMap((node) => (node.kind === "input" ? [{ node: node.id, output: node.name }] : []));

const missing = ({ reads }: Unit, graph: Graph, reach: Reach): readonly Port[] =>
  inputsOf(graph).filter(({ node }) => !reads.some((id) => reach.get(id)?.has(node)));

/** Whether every subset of the outputs needs all inputs. */
const isSafe = (ordered: readonly Unit[], graph: Graph, reach: Reach): boolean =>
  ordered.length < 2 ||
  Object.values(graph.outputs).every(({ node }) => reach.get(node)?.size === inputsOf(graph).length);
