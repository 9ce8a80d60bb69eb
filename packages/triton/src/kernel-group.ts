import type { OperatorGroup } from "./operator-group.ts";

/** Operators of ONNX's own domain for which ONNX Runtimes have no kernel on CPUs if their first input has one of these element types. */
export interface KernelGroup extends Omit<OperatorGroup, "domain"> {
  /** Separated by spaces. */
  readonly dtypes: string;
}
