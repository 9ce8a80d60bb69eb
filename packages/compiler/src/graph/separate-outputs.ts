import { type Graph, type GraphNode, invariant, type OperatorNode, type Port } from "@tritype/core";
import { mayLack, missingForFirst, type Unit } from "./first-step.ts";
import { portKey } from "./port-key.ts";

/**
 * Gives every output of the ensemble its own tensor: an Identity is inserted if an output is an input, is returned
 * twice, or is also consumed. In Triton, if a step consumes an output, a client that requests only some of the outputs
 * gets no response. So a step output that is returned twice gets two Identity nodes; with one, the second output's
 * Identity would consume the first output. If no step can come first in Triton and no tensor math can become the first
 * step, an output also gets an Identity.
 */
export const separateOutputs = (graph: Graph): Graph => {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const consumed = new Set(graph.nodes.flatMap((node) => Object.values(node.inputs).map(portKey)));
  const returned = Object.values(graph.outputs).map(portKey);
  const returnedTwice = new Set(returned.filter((port, i) => returned.indexOf(port) !== i));
  const first = outputOfFirst(graph);
  const added: GraphNode[] = [];
  const taken = new Set<string>();
  const outputs = Object.entries(graph.outputs).map(([name, port]): [string, Port] => {
    const producer = byId.get(port.node);
    invariant(producer !== undefined, `output ${name} has no producer`);
    const again = taken.has(portKey(port)) || (producer.kind === "step" && returnedTwice.has(portKey(port)));
    const shared = producer.kind === "input" || consumed.has(portKey(port)) || again || name === first;
    taken.add(portKey(port));
    if (!shared) return [name, port];
    const identity = identityOf(name, port, producer, byId);
    byId.set(identity.id, identity);
    added.push(identity);
    return [name, { node: identity.id, output: "out" }];
  });
  return { nodes: [...graph.nodes, ...added], outputs: Object.fromEntries(outputs) };
};

/** The output whose Identity can become the first step, if Triton needs such a step and other tensor math cannot be it. */
const outputOfFirst = (graph: Graph): string | undefined => {
  const unitOf = ({ id, inputs }: GraphNode): Unit => ({
    reads: Object.values(inputs).map(({ node }) => node),
    makes: [id],
  });
  const nodes = graph.nodes.filter(({ kind }) => kind !== "input");
  const missing = missingForFirst(nodes.map(unitOf), graph);
  const canBeFirst = (node: GraphNode): boolean => !missing(unitOf(node)).some(mayLack(graph));
  if (nodes.every((node) => missing(unitOf(node)).length === 0)) return undefined;
  if (nodes.some((node) => node.kind === "operator" && canBeFirst(node))) return undefined;
  return Object.entries(graph.outputs).find(([, { node }]) =>
    nodes.some((one) => one.id === node && canBeFirst(one)),
  )?.[0];
};

const identityOf = (
  name: string,
  port: Port,
  producer: GraphNode,
  byId: ReadonlyMap<string, GraphNode>,
): OperatorNode => {
  const type = producer.outputs[port.output];
  invariant(type !== undefined, `${port.node} has no output ${port.output}`);
  const base = `${name}_identity`;
  let id = base;
  for (let i = 2; byId.has(id); i++) id = `${base}_${i}`;
  return {
    kind: "operator",
    id,
    operator: "identity",
    attributes: {},
    inputs: { 0: port },
    outputs: { out: type },
    site: producer.site,
  };
};
