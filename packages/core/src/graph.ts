import type { OptionPlace } from "./option-place.ts";
import type { Site, Span } from "./span.ts";
import type { Signature, TensorType } from "./tensor-type.ts";

/** Values that survive JSON: the content of attributes and step options. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/** One output of one node. */
export interface Port {
  readonly node: string;
  readonly output: string;
}

interface NodeBase {
  /** Stable: derived from names and structure, not from the order of calls. */
  readonly id: string;
  readonly inputs: Readonly<Record<string, Port>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
  /** The position at which the user's code created it. */
  readonly site: Site;
}
/** An input of the ensemble; its output has the same name. */
export interface InputNode extends NodeBase {
  readonly kind: "input";
  readonly name: string;
}
/** A call of a step. */
export interface StepNode extends NodeBase {
  readonly kind: "step";
  /** Name of the step's definition. */
  readonly step: string;
  /** Version of the step's model; undefined means the latest. */
  readonly version?: number;
}
/** Tensor math. Operands are keyed "0", "1", …; attributes belong to the operator's definition. */
export interface OperatorNode extends NodeBase {
  readonly kind: "operator";
  readonly operator: string;
  readonly attributes: Readonly<Record<string, Json>>;
}
export type GraphNode = InputNode | StepNode | OperatorNode;

/** The computation of an ensemble as plain readonly data; each node is listed before the nodes that use it. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly outputs: Readonly<Record<string, Port>>;
}

/** The definition of a step. Its kind determines its `options`. */
export interface StepDefinition {
  readonly name: string;
  /** The plugin that compiles it: "onnx", "tokenizer", "ensemble", … */
  readonly kind: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
  readonly options: Readonly<Record<string, unknown>>;
  readonly site: Site;
  /** The positions of the call's options, if the source shows them. */
  readonly places?: OptionPlace["fields"];
  /** The models that its code calls, by the names that the code uses. */
  readonly callees?: Readonly<Record<string, Callee>>;
  /** Further models that its code calls. */
  readonly needs?: readonly string[];
}

/** The models that a step's code calls. */
export const modelsCalledBy = ({
  callees = {},
  needs = [],
}: Pick<StepDefinition, "callees" | "needs">): readonly string[] => [
  ...Object.values(callees).map(({ model }) => model),
  ...needs,
];

/** A model that a step's code calls, with its declaration. */
export interface Callee {
  readonly model: string;
  /** Undefined means the latest. */
  readonly version?: number;
  readonly inputs: Signature;
  readonly outputs: Signature;
}

/** The span that a message points to: the innermost user frame. */
export const siteSpan = (site: Site): Span | undefined => site[0];
