import type { OperatorGroup } from "./operator-group.ts";

/** Operators of ONNX's own domain for which ONNX Runtimes have no kernel on CPUs if these inputs have one of these element types. */
export interface KernelGroup extends Omit<OperatorGroup, "domain"> {
  /** Separated by spaces. */
  readonly dtypes: string;
  /** Positions of inputs that have the same element type, separated by spaces; `2+` means position 2 and all later ones. Default: `0`. */
  readonly inputs?: string;
}
