/** Operators of ONNX Runtime that all of the releases have in the same versions of their domain. */
export interface OperatorGroup {
  readonly domain: string;
  /** The first and last version of the domain that has them. */
  readonly since: number;
  readonly until?: number;
  /** The minor version of the first ONNX Runtime that has them, and of the last one. Default: all of the releases'. */
  readonly firstRuntime?: number;
  readonly lastRuntime?: number;
  /** Separated by spaces. */
  readonly names: string;
}
