import type { Diagnostic, GraphNode, Label, Port, StepNode } from "@tritype/core";
import { diagnose } from "../diagnostics.ts";
import type { StreamsOf } from "../graph/find-streams.ts";
import { labels } from "../graph/infer-graph.ts";
import type { EnsembleDefinition } from "../graph/program.ts";
import { reachable } from "../graph/prune-graph.ts";
import { writtenAt } from "./check-declaration.ts";

/** The origin of a tensor: a call that streams, or the request. */
type Origin = StepNode | "request";

/**
 * Checks that tensors of different streams never meet, at a step, at an operator or in the ensemble's outputs. Triton refuses such an
 * ensemble (rule 126), because it cannot tell which responses belong together.
 */
export const checkStreamJoins = (
  ensemble: EnsembleDefinition,
  streamsOf: StreamsOf,
): readonly Diagnostic[] => {
  const { graph } = ensemble;
  const used = reachable(graph);
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  // Constants have no origin, and neither do the results of a join, which is reported only once.
  const origins = new Map<string, Origin>();
  const arriving = (ports: Readonly<Record<string, Port>>): readonly Arrival[] =>
    Object.values(ports).flatMap((port) => {
      const origin = origins.get(port.node);
      const node = nodes.get(port.node);
      return origin === undefined || node === undefined ? [] : [{ node, origin }];
    });
  const found: Diagnostic[] = [];
  for (const node of graph.nodes) {
    if (!used.has(node.id)) continue;
    if (node.kind === "input") {
      origins.set(node.id, "request");
      continue;
    }
    const arrivals = arriving(node.inputs);
    const [first] = arrivals;
    if (first === undefined) continue;
    const joined = joinOf(arrivals);
    if (joined === undefined)
      origins.set(node.id, node.kind === "step" && streamsOf(node.step) !== undefined ? node : first.origin);
    else {
      const name = node.kind === "step" ? node.step : node.operator;
      found.push(joins(ensemble, joined, `\`${name}\` combines`, labels(node, "combined here")));
    }
  }
  const returned = found.length > 0 ? undefined : joinOf(arriving(graph.outputs));
  return returned === undefined ? found : [joins(ensemble, returned, "the outputs combine", [])];
};

interface Arrival {
  /** The node that gives the tensor. */
  readonly node: GraphNode;
  readonly origin: Origin;
}
interface Join {
  readonly stream: StepNode;
  /** The first tensor that does not come from the stream. */
  readonly other: Arrival;
}

const joinOf = (arrivals: readonly Arrival[]): Join | undefined => {
  const [stream] = arrivals.flatMap(({ origin }) => (origin === "request" ? [] : [origin]));
  const other = arrivals.find(({ origin }) => origin !== stream);
  return stream === undefined || other === undefined ? undefined : { stream, other };
};

const joins = (
  ensemble: EnsembleDefinition,
  { stream, other: { node, origin } }: Join,
  joint: string,
  at: readonly Label[],
): Diagnostic => {
  const [other, place] = origin === "request" ? onceEach(ensemble, node) : anotherStream(origin);
  return diagnose("stream/joined", {
    with: { ensemble: ensemble.name, joint, step: stream.step, other },
    labels: [...at, ...labels(stream, "streams"), ...place],
  });
};

type Described = readonly [string, readonly Label[]];

const anotherStream = (call: StepNode): Described => [
  `another stream, that of \`${call.step}\``,
  labels(call, "streams too"),
];

/** A tensor that exists once for each request. */
const onceEach = (ensemble: EnsembleDefinition, node: GraphNode): Described => {
  const text = "once per request";
  if (node.kind === "input")
    return [
      `the input \`${node.name}\``,
      writtenAt(ensemble, "inputs", node.name).map(({ span }) => ({ span, text })),
    ];
  return node.kind === "step"
    ? [`the only answer of \`${node.step}\``, labels(node, text)]
    : [`the result of \`${node.operator}\`, which does not read the stream`, labels(node, text)];
};
