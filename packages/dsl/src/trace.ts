import type { Json, Signature, TensorType } from "@tritype/core";
import type { CallSite } from "./call-site.ts";
import { dslError } from "./errors.ts";

/** One output of a recorded node. */
export interface NodeRef {
  readonly trace: Trace;
  readonly node: number;
  readonly output: string;
}

/** The value passed instead of a tensor; the compiler reports it. */
export interface NotATensor {
  readonly notATensor: string;
  /** The call that makes an array a tensor, such as `constant(fp32, […], 3)`. */
  readonly constant?: string;
}

/** A step's definition, as recorded. */
export interface StepRecord {
  readonly name: string;
  readonly kind: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
  readonly options: Readonly<Record<string, unknown>>;
  readonly site: CallSite;
  /** The recording of an ensemble's `run`. */
  readonly trace?: Trace;
  /** The models that a step's code calls, by the names that the code uses. */
  readonly callees?: Readonly<Record<string, CalleeRecord>>;
  /** Further steps and ensembles whose models its code calls, by the names of these models. */
  readonly needs?: readonly StepRecord[];
}

/** A step or ensemble that a step's code calls. */
export interface CalleeRecord {
  readonly step: StepRecord;
  /** Version of its model; undefined: the latest. */
  readonly version?: number;
}

interface TraceBase {
  readonly inputs: Readonly<Record<string, NodeRef | NotATensor>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
  readonly site: CallSite;
}
export interface TraceInput extends TraceBase {
  readonly kind: "input";
  readonly name: string;
}
export interface TraceStep extends TraceBase {
  readonly kind: "step";
  readonly step: StepRecord;
  /** Version of the step's model; undefined: the latest. */
  readonly version?: number;
  /** The call to `when`, and the branch within it. */
  readonly branch?: CallSite;
}
export interface TraceOperator extends TraceBase {
  readonly kind: "operator";
  readonly operator: string;
  readonly attributes: Readonly<Record<string, Json>>;
}
export type TraceNode = TraceInput | TraceStep | TraceOperator;

/** The recording of a function that consists of several operators, such as `meanPool`. The function is checked as a whole. */
export interface TraceRecipe {
  readonly name: string;
  readonly operands: readonly NodeRef[];
  /** Index of the recipe's first node, and of the first node after the recipe. */
  readonly nodes: readonly [from: number, to: number];
  readonly site: CallSite;
}

/** The recording of one call to an ensemble's `run`; nodes are in the order of the calls. */
export interface Trace {
  readonly nodes: readonly TraceNode[];
  readonly outputs: Readonly<Record<string, NodeRef | NotATensor>>;
  readonly recipes: readonly TraceRecipe[];
}

interface OpenTrace {
  readonly nodes: TraceNode[];
  readonly recipes: TraceRecipe[];
  outputs: Readonly<Record<string, NodeRef | NotATensor>>;
  branch: CallSite | undefined;
}
const open: OpenTrace[] = [];

/** Runs `record` with a fresh trace that `addNode` writes to, and returns the trace. */
export const recordTrace = (record: () => Trace["outputs"]): Trace => {
  const trace: OpenTrace = { nodes: [], recipes: [], outputs: {}, branch: undefined };
  open.push(trace);
  try {
    trace.outputs = record();
  } finally {
    open.pop();
  }
  return trace;
};

/** Far more than any model needs; a longer recording is a sign of an endless loop. */
const mostNodes = 100_000;

/**
 * Adds a node to the trace of the `run` that is being recorded.
 * @throws PipelineError `project/invalid` outside `run`.
 */
export const addNode = (node: TraceNode): ((output: string) => NodeRef) => {
  const trace = open.at(-1);
  if (trace === undefined) throw dslError("trace/outside", {});
  if (trace.nodes.length >= mostNodes) throw dslError("trace/endless", { limit: mostNodes });
  const { branch } = trace;
  const index =
    trace.nodes.push(node.kind === "step" && branch !== undefined ? { ...node, branch } : node) - 1;
  return (output) => ({ trace, node: index, output });
};

/** Records one branch of a `when`. */
export const recordBranch = <R>(site: CallSite, record: () => R): R => {
  const trace = open.at(-1);
  if (trace === undefined) throw dslError("trace/outside", {});
  const outer = trace.branch;
  trace.branch = site;
  try {
    return record();
  } finally {
    trace.branch = outer;
  }
};

/** Records the nodes that `record` adds to the open trace as one composite operator. */
export const addRecipe = <R>(
  name: string,
  operands: readonly NodeRef[],
  site: CallSite,
  record: () => R,
): R => {
  const trace = open.at(-1);
  const from = trace?.nodes.length ?? 0;
  const result = record();
  trace?.recipes.push({ name, operands, nodes: [from, trace.nodes.length], site });
  return result;
};
