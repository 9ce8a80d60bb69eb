import type { OptionPlace } from "./option-place.ts";
import type { Site, Span } from "./span.ts";
import type { Signature, TensorType } from "./tensor-type.ts";

/** Values that survive JSON: what attributes and step options are made of. */
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
  /** Stable: made of names and structure, not of the order of calls. */
  readonly id: string;
  readonly inputs: Readonly<Record<string, Port>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
  /** Where the user's code made it. */
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
  /** Of the step's model; undefined: the latest. */
  readonly version?: number;
}
/** Tensor math. Operands are keyed "0", "1", …; attributes belong to the operator's definition. */
export interface OperatorNode extends NodeBase {
  readonly kind: "operator";
  readonly operator: string;
  readonly attributes: Readonly<Record<string, Json>>;
}
export type GraphNode = InputNode | StepNode | OperatorNode;

/** What an ensemble computes. Plain readonly data; nodes stand before their users. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly outputs: Readonly<Record<string, Port>>;
}

/** What the author said of a step. `options` belong to the kind. */
export interface StepDefinition {
  readonly name: string;
  /** Which plugin compiles it: "onnx", "tokenizer", "ensemble", … */
  readonly kind: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
  readonly options: Readonly<Record<string, unknown>>;
  readonly site: Site;
  /** Where the options of the call are written, as far as the source says it. */
  readonly places?: OptionPlace["fields"];
}

/** The span a message points to: the innermost user frame. */
export const siteSpan = (site: Site): Span | undefined => site[0];
