import type { Graph, GraphNode, InputNode, Port, Signature, StepDefinition, TensorType } from "@tritype/core";
import { ownMaxBatchSize } from "../check/check-declaration.ts";
import type { EnsembleDefinition, Program } from "../graph/program.ts";
import { pruneGraph } from "../graph/prune-graph.ts";
import { batchByOf, type BatchByLength } from "./batch-by.ts";
import { findTokenizers, inputNodes, type TokenizerCall } from "./find-tokenizer.ts";

/** An ensemble that batches by length, and the parts it was split into. */
export interface SplitEnsemble {
  readonly ensemble: EnsembleDefinition;
  readonly batchBy: BatchByLength;
  /** The step that replaced the tokenizer. */
  readonly collate: StepDefinition;
}

/**
 * Splits each checked ensemble that batches by length. The ensemble that clients call becomes one call of a collate
 * step, which calls an ensemble of everything after the tokenizer. Models and tensor math keep the names that they
 * would have without the split.
 */
export const splitEnsembles = (
  program: Program,
): { readonly program: Program; readonly split: readonly SplitEnsemble[] } => {
  const steps = new Map(program.steps);
  const ensembles = new Map<string, EnsembleDefinition>();
  const split: SplitEnsemble[] = [];
  for (const ensemble of program.ensembles.values()) {
    const batchBy = batchByOf(ensemble);
    const graph = pruneGraph(ensemble.graph);
    const [call] = findTokenizers(graph, program);
    if (batchBy === undefined || call === undefined) {
      ensembles.set(ensemble.name, ensemble);
      continue;
    }
    const names = { collate: `${ensemble.name}_collate`, behind: `${ensemble.name}_padded` };
    const inner = behindTokenizer(ensemble, graph, call, names.behind);
    const collate = collateStep(ensemble, call, names, Object.keys(inner.inputs), batchBy);
    steps.set(collate.name, collate);
    ensembles.set(inner.name, inner);
    ensembles.set(ensemble.name, { ...ensemble, graph: callOf(ensemble, graph, call, collate) });
    split.push({ ensemble, batchBy, collate });
  }
  return { program: { ...program, steps, ensembles }, split };
};

/** The ensemble after the tokenizer; its inputs are the tokenizer's outputs. */
const behindTokenizer = (
  ensemble: EnsembleDefinition,
  graph: Graph,
  { node: tokenizer }: TokenizerCall,
  name: string,
): EnsembleDefinition => {
  const rest = graph.nodes.filter((node) => node !== tokenizer && node.kind !== "input");
  const taken = new Set(rest.flatMap((node) => Object.values(node.inputs)).flatMap(portOf(tokenizer.id)));
  const inputs = Object.entries(tokenizer.outputs)
    .filter(([output]) => taken.has(output))
    .map(
      ([output, type]): InputNode => ({
        kind: "input",
        // Node ids are the names of calls and operators, which never contain "#".
        id: `${tokenizer.id}#${output}`,
        name: output,
        inputs: {},
        outputs: { [output]: type },
        site: tokenizer.site,
      }),
    );
  const moved = (port: Port): Port =>
    port.node === tokenizer.id ? { node: `${tokenizer.id}#${port.output}`, output: port.output } : port;
  const { maxBatchSize, members } = ensemble.options;
  return {
    ...ensemble,
    name,
    inputs: Object.assign({}, ...inputs.map(({ outputs }) => outputs)) as Signature,
    options: { maxBatchSize, ...(members === undefined ? {} : { members }) },
    graph: {
      nodes: [
        ...inputs,
        ...rest.map((node): GraphNode => ({ ...node, inputs: mapPorts(node.inputs, moved) })),
      ],
      outputs: graph.outputs,
    },
    behind: ensemble.name,
  };
};

const portOf =
  (node: string) =>
  (port: Port): readonly string[] =>
    port.node === node ? [port.output] : [];

const mapPorts = (
  ports: Readonly<Record<string, Port>>,
  map: (port: Port) => Port,
): Readonly<Record<string, Port>> =>
  Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, map(port)]));

/** Replaces the tokenizer, with the author's settings for its model. */
const collateStep = (
  ensemble: EnsembleDefinition,
  { step }: TokenizerCall,
  { collate, behind }: { readonly collate: string; readonly behind: string },
  takes: readonly string[],
  { maxWaste }: BatchByLength,
): StepDefinition => {
  const { modelWarmup: _, outputFields: __, ...options } = step.options;
  return {
    name: collate,
    kind: "collate",
    inputs: step.inputs,
    outputs: Object.fromEntries(
      Object.entries(ensemble.outputs).map(([name, type]) => [name, withoutReshape(type)]),
    ),
    options: {
      ...options,
      tokenizer: step.name,
      behind,
      takes,
      maxWaste,
      maxBatchSize: ownMaxBatchSize(ensemble),
    },
    site: ensemble.site,
  };
};

/** As in an ensemble's response, a size-1 dim is added to a tensor with only the batch dim. */
const withoutReshape = ({ dtype, dims }: TensorType): TensorType => ({
  dtype,
  dims: dims.length === 1 ? [...dims, 1] : dims,
});

const callOf = (
  ensemble: EnsembleDefinition,
  graph: Graph,
  { node: tokenizer }: TokenizerCall,
  collate: StepDefinition,
): Graph => ({
  nodes: [
    ...inputNodes(graph),
    { ...tokenizer, id: collate.name, step: collate.name, outputs: collate.outputs, site: ensemble.site },
  ],
  outputs: Object.fromEntries(
    Object.keys(graph.outputs).map((output) => [output, { node: collate.name, output }]),
  ),
});
