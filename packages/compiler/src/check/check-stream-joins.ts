import type { Diagnostic, GraphNode, Label, StepNode } from "@tritype/core";
import { diagnose } from "../diagnostics.ts";
import type { StreamsOf } from "../graph/find-streams.ts";
import { labels } from "../graph/infer-graph.ts";
import type { EnsembleDefinition } from "../graph/program.ts";
import { reachable } from "../graph/prune-graph.ts";
import { writtenAt } from "./check-declaration.ts";

/** A node, and the call whose responses it gets; undefined if it runs once per request. */
interface Source {
  readonly node: GraphNode;
  readonly stream: StepNode | undefined;
}

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
  // Constants are not sources, and neither are the results of a join, which is reported only once.
  const sources = new Map<string, Source>();
  const sourcesOf = (ports: GraphNode["inputs"]) =>
    Object.values(ports).flatMap(({ node }) => sources.get(node) ?? []);
  const found: Diagnostic[] = [];
  for (const node of graph.nodes) {
    if (!used.has(node.id)) continue;
    const read = sourcesOf(node.inputs);
    if (node.kind !== "input") {
      const name = node.kind === "step" ? node.step : node.operator;
      const joined = joins(ensemble, read, `\`${name}\` combines`, labels(node, "combined here"));
      found.push(...joined);
      if (joined.length > 0 || read.length === 0) continue;
    }
    const streams = node.kind === "step" && streamsOf(node.step) !== undefined;
    sources.set(node.id, { node, stream: streams ? node : read[0]?.stream });
  }
  return found.length > 0 ? found : joins(ensemble, sourcesOf(graph.outputs), "the outputs combine", []);
};

const joins = (
  ensemble: EnsembleDefinition,
  sources: readonly Source[],
  joint: string,
  at: readonly Label[],
): readonly Diagnostic[] => {
  const stream = sources.find((source) => source.stream !== undefined)?.stream;
  const joined = sources.find((source) => source.stream !== stream);
  if (stream === undefined || joined === undefined) return [];
  const [other, place] = describe(ensemble, joined);
  const parameters = { ensemble: ensemble.name, joint, step: stream.step, other };
  return [
    diagnose("stream/joined", { with: parameters, labels: [...at, ...labels(stream, "streams"), ...place] }),
  ];
};

const describe = (
  ensemble: EnsembleDefinition,
  { node, stream }: Source,
): readonly [string, readonly Label[]] => {
  if (stream !== undefined)
    return [`another stream, that of \`${stream.step}\``, labels(stream, "streams too")];
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
