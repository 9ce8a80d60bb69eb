import type { DType, Json, TensorData, TensorType } from "@tritype/core";
import type { PaddedOperand, Padding } from "./padding.ts";

/** The reason why an operator cannot be applied. The compiler adds the source positions. */
export interface Problem {
  /** Diagnostic code, such as `dtype/mismatch`; its page is `docs/diagnostics/<code>.md`. */
  readonly code: ProblemCode;
  /** One sentence with dtypes and dims in the notation of `showType`. */
  readonly message: string;
  /** Index of the operand at fault; undefined if an attribute is at fault. */
  readonly operand?: number;
  /** Index of the operand that it does not fit. */
  readonly against?: number;
  /** The fix, as an imperative sentence. */
  readonly help?: string;
}
export type ProblemCode =
  | "dtype/mismatch"
  | "dtype/not-supported"
  | "dtype/out-of-range"
  | "dtype/wraps-around"
  | "dtype/integer-quotient"
  | "shape/no-broadcast"
  | "shape/rank-mismatch"
  | "shape/dim-mismatch"
  | "shape/bad-reshape"
  | "shape/bad-constant"
  | "shape/bad-equation"
  | "axis/unknown"
  | "axis/out-of-range"
  | "axis/ambiguous"
  | "operator/bad-option";

/** The types of an operator's outputs, or the failure. */
export type Inferred =
  | { readonly outputs: Readonly<Record<string, TensorType>>; readonly problem?: undefined }
  | { readonly problem: Problem; readonly outputs?: undefined };

/** Attributes as the DSL records them: an axis by number or name, dims as written, … */
export type Attributes = Readonly<Record<string, Json>>;

/** The operands of a method call after the tensor itself, and its attributes. */
export interface Application {
  readonly operands: readonly unknown[];
  readonly attributes: Attributes;
  /** Whether several outputs are returned as a list instead of an object with their names. */
  readonly listed?: boolean;
}

/** How a method's arguments become operands and attributes. */
export type ReadArguments = (args: readonly unknown[]) => Application;

/** An operand's axis along which elements are combined, reordered or selected. */
export interface MixedAxis {
  readonly operand: number;
  readonly axis: number;
  /**
   * The words for the effect in a sentence such as "`mean` reduces over the batch": "reduces over", "reorders",
   * "indexes", …
   */
  readonly verb: string;
}

/** Indices of operands: a condition (one BOOL), and for each output the values between which it chooses. */
export interface Sides {
  readonly condition: number;
  readonly values: Readonly<Record<string, readonly [whenTrue: number, whenFalse: number]>>;
}

/** A value in an ONNX graph that is being built: its name and its type. */
export interface OnnxValue {
  readonly name: string;
  readonly type: TensorType;
}
export type OnnxAttribute =
  | { readonly int: number | bigint }
  | { readonly ints: readonly (number | bigint)[] }
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | { readonly text: string }
  | { readonly texts: readonly string[] };

/** Adds nodes to the ONNX graph that is being built. */
export interface OnnxBuilder {
  /**
   * Adds a node of the default domain at opset 17, or of `ai.onnx.ml` at opset 3 if `opType` has that prefix
   * (`ai.onnx.ml.LabelEncoder`); returns the names of its `outputs` (default 1). `label` is the node's name in the
   * errors of ONNX Runtime (default: that of its first output).
   */
  node(
    opType: string,
    inputs: readonly string[],
    attributes?: Readonly<Record<string, OnnxAttribute>>,
    outputs?: number,
    label?: string,
  ): readonly [string, ...string[]];
  /** Adds an initializer; returns its name. */
  constant(tensor: TensorData): string;
}

/**
 * A complete tensor operator: how its result types are inferred, which axes it mixes, and which ONNX nodes it becomes.
 */
export interface Operator {
  readonly name: string;
  /** The operator's method on a tensor. Default: it has none. */
  readonly readArguments?: ReadArguments | undefined;
  /** Dims may be literals, names (equal name, equal size) or -1 (unknown, never conflicts). */
  infer(operands: readonly TensorType[], attributes: Attributes): Inferred;
  /**
   * The names of its outputs, each with its dtype if that differs from the first operand's; used for a handle if
   * `infer` failed. Default: `out`.
   */
  outputs?(attributes: Attributes): Readonly<Record<string, DType | undefined>>;
  /** Called after `infer` has succeeded. Default: none. */
  mixes?(operands: readonly TensorType[], attributes: Attributes): readonly MixedAxis[];
  /** The value of `out` where the operands are padding. Default: unknown. */
  padding?(operands: readonly PaddedOperand[], attributes: Attributes): Padding;
  /**
   * Whether the operation that `mixes` reports for an axis gives the same result with padding on that side of the axis
   * as without it. A sum does if the padding is 0. Called for axes whose elements are not merely moved. Default: no.
   */
  ignoresPadding?(
    mixed: MixedAxis,
    operands: readonly PaddedOperand[],
    attributes: Attributes,
    side: "left" | "right",
  ): boolean;
  /**
   * A result that the author is unlikely to want, although it is allowed. Called after `infer` has succeeded; only constants
   * have known values. Default: none.
   */
  doubt?(operands: readonly PaddedOperand[], attributes: Attributes): Problem | undefined;
  /** An output that contains positions along an axis of the first operand. Called after `infer` has succeeded. Default: none. */
  positions?(
    operands: readonly TensorType[],
    attributes: Attributes,
  ): { readonly output: string; readonly axis: number };
  /** For an operator that replaces positions by labels: how many labels it has. */
  labelCount?(attributes: Attributes): number;
  /** Its output is the operand under another name. */
  readonly copies?: true;
  /**
   * The operands that are only needed if a condition chooses them. An output is then the chosen value, expanded to the
   * output's dims if these are literal. Called after `infer` has succeeded. Default: all operands are needed.
   */
  sides?(operands: readonly TensorType[], attributes: Attributes): Sides | undefined;
  /** Called after `infer` has succeeded; returns the ONNX name of every output. Source: the ONNX operator's schema. */
  lower(
    builder: OnnxBuilder,
    operands: readonly OnnxValue[],
    attributes: Attributes,
    outputs: Readonly<Record<string, TensorType>>,
  ): Readonly<Record<string, string>>;
}
