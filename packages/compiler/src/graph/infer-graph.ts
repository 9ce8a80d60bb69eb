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
  showType,
  type Site,
  type TensorType,
} from "@tritype/core";
import { operators, type PaddedOperand, type Problem, recipes } from "@tritype/operators";
import { type Arrival, bindCall } from "./bind-call.ts";
import { diagnose } from "../diagnostics.ts";
import type { GraphRecipe, TracedGraph } from "./trace-graph.ts";

/** A graph with newly inferred output types, and its mismatches. After a mistake, types keep their recorded values. */
export interface InferredGraph {
  readonly graph: Graph;
  readonly diagnostics: readonly Diagnostic[];
}

/** The declaration of a step or ensemble by its name. */
export type SignatureOf = (step: string) => { readonly inputs: Signature; readonly outputs: Signature };

/**
 * Infers the type of every tensor, starting at the ensemble's inputs; an output name that no input binds is a new size
 * in each call.
 */
export const inferGraph = (
  { graph, unwired, recipes: made }: Pick<TracedGraph, "graph" | "unwired" | "recipes">,
  signatureOf: SignatureOf,
): InferredGraph => {
  const diagnostics: Diagnostic[] = [];
  const types = new Map<string, Readonly<Record<string, TensorType>> | undefined>();
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const uses = new Map<string, number>();
  for (const { node } of graph.nodes.flatMap(({ inputs }) => Object.values(inputs)))
    uses.set(node, (uses.get(node) ?? 0) + 1);
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
      Object.entries(node.inputs).map(([input, port]) => {
        const maker = byId.get(port.node);
        return [
          input,
          {
            type: types.get(port.node)?.[port.output],
            from: madeHere(maker, port.output),
            ...(maker?.kind === "input" && uses.get(maker.id) === 1 ? { input: maker.name } : {}),
          },
        ];
      }),
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

  /** A node's operands, of which only constants have known values. */
  const paddedAt =
    (node: OperatorNode) =>
    (type: TensorType, at: number): PaddedOperand => {
      const maker = byId.get(Object.values(node.inputs)[at]?.node ?? "");
      const isConstant = maker?.kind === "operator" && maker.operator === "constant";
      const padding = isConstant ? operators.get("constant")?.padding?.([], maker.attributes) : undefined;
      return { type, padding: padding ?? { axes: [] } };
    };

  const failing = new Map<GraphRecipe, boolean>();
  /** Whether the node belongs to a composite operator whose operands do not fit; the mismatch is reported only once. */
  const failsAsAWhole = (node: OperatorNode): boolean => {
    const recipe = made.find(({ nodes }) => nodes.has(node.id));
    if (recipe === undefined) return false;
    const known = failing.get(recipe);
    const operands = recipe.operands.flatMap((port) => types.get(port.node)?.[port.output] ?? []);
    if (known !== undefined || operands.length < recipe.operands.length) return known ?? false;
    const problem = recipes.get(recipe.name)?.(operands)?.problem;
    failing.set(recipe, problem !== undefined);
    if (problem === undefined) return false;
    const arriving = recipe.operands.map((port, i) => ({
      type: operands[i],
      from: madeHere(byId.get(port.node), port.output),
    }));
    diagnostics.push(operatorProblem(recipe.name, recipe.site, problem, arriving));
    return true;
  };

  /** Numbers that do not fit the dtype of the tensor an operator combines them with; reported at that operator. */
  const misfits = new Map<string, { readonly node: OperatorNode; readonly problem: Problem }>();
  const misfitOf = (node: OperatorNode): Problem | undefined => {
    for (const port of Object.values(node.inputs)) {
      const misfit = misfits.get(port.node);
      if (misfit === undefined || !sameSite(misfit.node, node)) continue;
      const arriving = [...arrivals(node).values()].map(({ type }) => type);
      const known = arriving.filter((type) => type !== undefined);
      // `where` gives a number the dtype of its second operand; other operators use the dtype of their only tensor.
      const beside = known.find(({ dtype }) => dtype === misfit.node.attributes["dtype"]) ?? known[0];
      misfits.delete(port.node);
      if (beside === undefined) return misfit.problem;
      const scalar = { dtype: beside.dtype, dims: [] };
      const written = { ...misfit.node.attributes, beside: showType(beside) };
      return (
        operators.get(node.operator)?.infer(
          arriving.map((type) => type ?? scalar),
          node.attributes,
        ).problem ?? operators.get(misfit.node.operator)?.infer([], written).problem
      );
    }
    return undefined;
  };

  const inferOperator = (node: OperatorNode): Readonly<Record<string, TensorType>> | undefined => {
    if (failsAsAWhole(node)) return undefined;
    const arriving = [...arrivals(node).values()];
    const misfit = misfitOf(node);
    if (misfit !== undefined) {
      const others = arriving.filter(({ type }) => type !== undefined);
      diagnostics.push(operatorProblem(node.operator, node.site, misfit, others));
      return undefined;
    }
    const operands = arriving.flatMap(({ type }) => type ?? []);
    const definition = operators.get(node.operator);
    if (definition === undefined || operands.length < arriving.length || unwired.has(node.id))
      return undefined;
    const attributes = resolveNames(node.attributes, operands);
    const inferred = definition.infer(operands, attributes);
    if (inferred.problem !== undefined) {
      if (arriving.length === 0) misfits.set(node.id, { node, problem: inferred.problem });
      else diagnostics.push(operatorProblem(node.operator, node.site, inferred.problem, arriving));
      return undefined;
    }
    const doubt = definition.doubt?.(operands.map(paddedAt(node)), attributes);
    if (doubt !== undefined)
      diagnostics.push({
        ...operatorProblem(node.operator, node.site, doubt, arriving),
        severity: "warning",
      });
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
  const unsaid = [...misfits.values()].filter(
    ({ node }) => !made.some((recipe) => failing.get(recipe) === true && recipe.nodes.has(node.id)),
  );
  for (const { node, problem } of unsaid)
    diagnostics.push(operatorProblem(node.operator, node.site, problem, []));
  return { graph: { nodes, outputs: graph.outputs }, diagnostics };
};

/** Replaces the names of dims and axes that the user wrote with those in this graph (`seq` may be `seq#2`). */
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
        "Triton puts the rows of several requests into one batch; with single requests, the pipeline would seem to work",
      ],
    }),
  ];
};

/** Whether two nodes have the same position: a number among the operands has its operator's position. */
const sameSite = (a: GraphNode, b: GraphNode): boolean => JSON.stringify(a.site) === JSON.stringify(b.site);

/** An operator's problem as a diagnostic; the operators own the catalog of these codes. */
const operatorProblem = (
  operator: string,
  site: Site,
  { code, message, operand, against, help }: Problem,
  arriving: readonly Arrival[],
): Diagnostic => ({
  code,
  severity: "error",
  message: `\`${operator}\`: ${message}`,
  labels: [...labels({ site }, "here"), ...ends(arriving, operand, against)],
  notes: [],
  help,
});

/** Where the operands at fault come from: all, one, or two that do not fit together, with their types. */
const ends = (
  arriving: readonly Arrival[],
  operand: number | undefined,
  against: number | undefined,
): readonly Label[] => {
  if (operand === undefined) return arriving.flatMap(({ from }) => from);
  if (against === undefined || against === operand) return arriving[operand]?.from ?? [];
  const both = [against, operand]
    .toSorted((a, b) => a - b)
    .flatMap((at) => arriving[at] ?? [])
    .flatMap(({ type, from }) =>
      from.map(({ span, text }) => ({
        span,
        text: type === undefined ? text : `${text}: ${showType(type)}`,
      })),
    );
  return [...new Map(both.map((label) => [JSON.stringify(label), label])).values()];
};

export const labels = (node: Pick<GraphNode, "site">, text: string): readonly Label[] => {
  const span = siteSpan(node.site);
  return span === undefined ? [] : [{ span, text }];
};

/** Where a tensor comes from. */
export const madeHere = (node: GraphNode | undefined, output: string): readonly Label[] =>
  node === undefined
    ? []
    : labels(
        node,
        node.kind === "input"
          ? `\`${output}\` is declared here`
          : `the value is computed here by \`${node.kind === "step" ? node.step : node.operator}\``,
      );
