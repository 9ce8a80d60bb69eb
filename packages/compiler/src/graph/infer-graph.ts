import {
  type Diagnostic,
  type Dim,
  type Graph,
  type GraphNode,
  type Json,
  type Label,
  type OperatorNode,
  type Signature,
  siteSpan,
  type StepNode,
  showDim,
  type TensorType,
} from "@tritype/core";
import { operators, type Problem } from "@tritype/operators";
import { type Arrival, bindCall } from "./bind-call.ts";
import { diagnose } from "../diagnostics.ts";
import type { Unwired } from "./trace-graph.ts";

/** A graph whose output types are inferred anew, and what does not fit. Types after a mistake are left as recorded. */
export interface InferredGraph {
  readonly graph: Graph;
  readonly diagnostics: readonly Diagnostic[];
}

/** The declaration behind the name of a step or ensemble. */
export type SignatureOf = (step: string) => { readonly inputs: Signature; readonly outputs: Signature };

/** Infers the type of every tensor from the ensemble's inputs on; an output name that no input binds is a fresh size per call. */
export const inferGraph = (graph: Graph, unwired: Unwired, signatureOf: SignatureOf): InferredGraph => {
  const diagnostics: Diagnostic[] = [];
  const types = new Map<string, Readonly<Record<string, TensorType>> | undefined>();
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const taken = new Set(
    graph.nodes.flatMap((node) =>
      node.kind === "input" ? Object.values(node.outputs).flatMap((t) => t.dims) : [],
    ),
  );
  const fresh = (name: string): string => {
    let candidate = name;
    for (let i = 2; taken.has(candidate); i++) candidate = `${name}#${i}`;
    taken.add(candidate);
    return candidate;
  };
  const arrivals = (node: GraphNode): ReadonlyMap<string, Arrival> =>
    new Map(
      Object.entries(node.inputs).map(([input, port]) => [
        input,
        { type: types.get(port.node)?.[port.output], from: madeHere(byId.get(port.node), port.output) },
      ]),
    );

  const inferStep = (node: StepNode): Readonly<Record<string, TensorType>> => {
    const { inputs, outputs } = signatureOf(node.step);
    const bound = bindCall(
      node.step,
      inputs,
      arrivals(node),
      labels(node, "in this call"),
      unwired.get(node.id),
    );
    diagnostics.push(...bound.diagnostics);
    const sizes = new Map(bound.bindings);
    const substitute = (dim: Dim): Dim => {
      if (typeof dim === "number") return dim;
      const unbound = dim === "batch" ? dim : bound.diagnostics.length > 0 ? -1 : fresh(dim);
      const size = sizes.get(dim) ?? unbound;
      sizes.set(dim, size);
      return size;
    };
    return Object.fromEntries(
      Object.entries(outputs).map(([name, type]) => [
        name,
        { dtype: type.dtype, dims: type.dims.map(substitute) },
      ]),
    );
  };

  const inferOperator = (node: OperatorNode): Readonly<Record<string, TensorType>> | undefined => {
    const arriving = [...arrivals(node).values()];
    const operands = arriving.flatMap(({ type }) => type ?? []);
    const definition = operators.get(node.operator);
    if (definition === undefined || operands.length < arriving.length || unwired.has(node.id))
      return undefined;
    const attributes = resolveNames(node.attributes, operands);
    const inferred = definition.infer(operands, attributes);
    if (inferred.problem !== undefined) {
      diagnostics.push(operatorProblem(node, inferred.problem, arriving));
      return undefined;
    }
    diagnostics.push(...mixedRows(node, operands, definition.mixes?.(operands, attributes) ?? [], arriving));
    return inferred.outputs;
  };

  const nodes = graph.nodes.map((node): GraphNode => {
    const outputs =
      node.kind === "input" ? node.outputs : node.kind === "step" ? inferStep(node) : inferOperator(node);
    types.set(node.id, outputs);
    if (outputs === undefined) return node;
    if (node.kind !== "operator") return { ...node, outputs };
    const operands = [...arrivals(node).values()].flatMap(({ type }) => type ?? []);
    return { ...node, outputs, attributes: resolveNames(node.attributes, operands) };
  });
  return { graph: { nodes, outputs: graph.outputs }, diagnostics };
};

/** Dims and axes that the user wrote by name, as the names they have in this graph (`seq` may be `seq#2`). */
const resolveNames = (
  attributes: OperatorNode["attributes"],
  operands: readonly TensorType[],
): OperatorNode["attributes"] => {
  const resolve = (value: Json): Json =>
    typeof value === "string"
      ? (operands
          .flatMap((t) => t.dims)
          .find((d) => d === value || (typeof d === "string" && showDim(d) === value)) ?? value)
      : value;
  const { axis, dims } = attributes;
  return {
    ...attributes,
    ...(axis === undefined ? {} : { axis: resolve(axis) }),
    ...(Array.isArray(dims) ? { dims: dims.map(resolve) } : {}),
  };
};

const mixedRows = (
  node: OperatorNode,
  operands: readonly TensorType[],
  mixed: readonly { readonly operand: number; readonly axis: number; readonly verb: string }[],
  arriving: readonly Arrival[],
): readonly Diagnostic[] => {
  const first = mixed.find(({ operand, axis }) => operands[operand]?.dims[axis] === "batch");
  if (first === undefined) return [];
  return [
    diagnose("batch/mixes-rows", {
      with: { operator: node.operator, verb: first.verb },
      labels: [...labels(node, "here"), ...(arriving[first.operand]?.from ?? [])],
      notes: [
        "Triton puts the rows of several requests into one batch; alone the pipeline would seem to work",
      ],
    }),
  ];
};

/** A problem of an operator as a diagnostic: the catalog of these codes stands with the operators. */
const operatorProblem = (node: OperatorNode, problem: Problem, arriving: readonly Arrival[]): Diagnostic => ({
  code: problem.code,
  severity: "error",
  message: `\`${node.operator}\`: ${problem.message}`,
  labels: [
    ...labels(node, "here"),
    ...(problem.operand === undefined ? arriving : [arriving[problem.operand]]).flatMap(
      (arrival) => arrival?.from ?? [],
    ),
  ],
  notes: [],
  help: problem.help,
});

export const labels = (node: GraphNode, text: string): readonly Label[] => {
  const span = siteSpan(node.site);
  return span === undefined ? [] : [{ span, text }];
};

const madeHere = (node: GraphNode | undefined, output: string): readonly Label[] =>
  node === undefined
    ? []
    : labels(
        node,
        node.kind === "input"
          ? `\`${output}\` is declared here`
          : `the value is made here by \`${node.kind === "step" ? node.step : node.operator}\``,
      );
