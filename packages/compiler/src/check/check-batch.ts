import {
  type Diagnostic,
  type Dim,
  type Graph,
  type GraphNode,
  inBackticks,
  invariant,
  isOptional,
  type Label,
  type Port,
  showType,
  type StepDefinition,
  type TensorType,
} from "@tritype/core";
import { definedAt, isBatched, ownMaxBatchSize } from "./check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import { labels } from "../graph/infer-graph.ts";
import type { EnsembleDefinition, Program } from "../graph/program.ts";
import type { StepContext, StepKind } from "../step-kind.ts";

interface Session {
  readonly program: Program;
  readonly kinds: ReadonlyMap<string, StepKind>;
  readonly contextOf: (step: StepDefinition) => StepContext;
}

/**
 * Checks that "batch" is used consistently: it is the first dim of every tensor in a batched ensemble. In any other
 * ensemble, the batch of a step is the rows of one request.
 */
export const checkBatch = (ensemble: EnsembleDefinition, session: Session): readonly Diagnostic[] => {
  const { graph } = ensemble;
  const batched = isBatched({ inputs: ensemble.inputs, outputs: {} });
  const types = new Map(graph.nodes.map((node) => [node.id, node.outputs]));
  const typeOf = ({ node, output }: Port): TensorType | undefined => types.get(node)?.[output];
  const own = ownMaxBatchSize(ensemble);
  return [
    ...(batched && own === undefined ? [noMaxBatchSize(ensemble)] : []),
    ...graph.nodes.flatMap((node) => checkNode(node, batched, ensemble, session, typeOf)),
    ...(batched ? checkOutputs(ensemble, graph, typeOf) : []),
  ];
};

/** An exported step needs a maximum batch size if nothing in the build calls it, and an input that every request has. */
export const checkExportedBatch = (
  step: StepDefinition,
  callers: readonly StepDefinition[],
): readonly Diagnostic[] => {
  if (!isBatched(step)) return [];
  const inputs = inBackticks(Object.keys(step.inputs));
  return [
    ...(ownMaxBatchSize(step) === undefined && callers.length === 0 ? [noMaxBatchSize(step)] : []),
    ...(Object.values(step.inputs).every(isOptional)
      ? [
          diagnose("batch/no-required-input", {
            with: { step: step.name, inputs, ensemble: step.name },
            labels: definedAt(step),
            help: "declare an input that every request has without optional(), which tells Triton the number of rows",
          }),
        ]
      : []),
  ];
};

const noMaxBatchSize = (definition: StepDefinition): Diagnostic =>
  diagnose("batch/no-max-batch-size", {
    with: { kind: definition.kind, name: definition.name },
    labels: definedAt(definition),
  });

const checkNode = (
  node: GraphNode,
  batched: boolean,
  ensemble: EnsembleDefinition,
  session: Session,
  typeOf: (port: Port) => TensorType | undefined,
): readonly Diagnostic[] => {
  if (node.kind === "operator") return batched ? checkMoved(node.operator, node) : [];
  if (node.kind === "input") return [];
  const { steps, ensembles } = session.program;
  const step = steps.get(node.step) ?? ensembles.get(node.step);
  invariant(step !== undefined, `step ${node.step} is not in the program`);
  const at = [...labels(node, "called here"), ...definedAt(step)];
  const parameters = { step: step.name, ensemble: ensemble.name };
  const stepBatched = isBatched(step);
  if (batched && !stepBatched) return [diagnose("batch/step-not-batched", { with: parameters, labels: at })];
  if (!batched && stepBatched) {
    const arriving = Object.values(node.inputs).map((port) => typeOf(port)?.dims[0]);
    return checkRows(step, arriving, parameters, at, session);
  }
  const wires = Object.entries(node.inputs).flatMap(([input, port]) => {
    const type = typeOf(port);
    return !batched || type === undefined || type.dims[0] === "batch" || type.dims[0] === -1
      ? []
      : [
          diagnose("batch/wire-not-batched", {
            with: { step: step.name, input, type: showType(type) },
            labels: at,
          }),
        ];
  });
  const size = ownMaxBatchSize(step);
  const wanted = ownMaxBatchSize(ensemble) ?? 0;
  if (size === undefined || size >= wanted) return wires;
  return [
    ...wires,
    diagnose("batch/member-too-small", {
      with: { ...parameters, size, wanted },
      labels: at,
      ...(size > 0 ? {} : { help: "set `maxBatchSize` of the step to 1 or more" }),
    }),
  ];
};

/**
 * A batched step in an ensemble without batching. Triton passes a tensor on unchanged if it has as many dims as the step's
 * tensor, including the batch. A row without a dim has the shape [1] there, which only fits single rows.
 */
const checkRows = (
  step: StepDefinition,
  arriving: readonly (Dim | undefined)[],
  parameters: { readonly step: string; readonly ensemble: string },
  labels: readonly Label[],
  { kinds, contextOf }: Session,
): readonly Diagnostic[] => {
  const tensors = Object.entries({ ...step.inputs, ...step.outputs });
  const [single] = tensors.find(([, { dims }]) => dims.length === 1) ?? [];
  if (single !== undefined) {
    const apart = waysApart(step, kinds.get(step.kind), single);
    return [
      diagnose("batch/ensemble-not-batched", { with: { ...parameters, tensor: single, apart }, labels }),
    ];
  }
  const { maxBatchSize: size } = contextOf(step);
  if (size === 0) return [noMaxBatchSize(step)];
  const wanted = Math.max(...arriving.map((dim) => (typeof dim === "number" ? dim : 0)));
  const help = `raise \`maxBatchSize\` of the step, or pass it at most ${size} rows`;
  return wanted > size
    ? [diagnose("batch/member-too-small", { with: { ...parameters, size, wanted }, labels, help })]
    : [];
};

/** How to call a batched step for the rows of one request: the dims of a model are those of its file. */
const waysApart = (step: StepDefinition, kind: StepKind | undefined, tensor: string): string =>
  kind === undefined || kind.isAlwaysBatched?.(step) === true
    ? `give \`${tensor}\` a second dim of size 1, as in fp32("batch", 1)`
    : `name the first dim of every input and output of \`${step.name}\` "n"`;

const checkMoved = (operator: string, node: GraphNode): readonly Diagnostic[] =>
  Object.values(node.outputs)
    .filter(({ dims }) => dims.lastIndexOf("batch") > 0)
    .slice(0, 1)
    .map((type) =>
      diagnose("batch/moved", { with: { operator, type: showType(type) }, labels: labels(node, "here") }),
    );

const checkOutputs = (
  ensemble: EnsembleDefinition,
  graph: Graph,
  typeOf: (port: Port) => TensorType | undefined,
): readonly Diagnostic[] =>
  Object.entries(graph.outputs).flatMap(([output, port]) => {
    const type = typeOf(port);
    const node = graph.nodes.find(({ id }) => id === port.node);
    // For an output of a step, the fault is in the step, which is reported.
    if (type === undefined || type.dims.includes("batch") || node?.kind === "step") return [];
    return [
      diagnose("batch/output-not-batched", {
        with: { output, type: showType(type) },
        labels: node === undefined ? definedAt(ensemble) : labels(node, "created here"),
      }),
    ];
  });
