import type { ModelProto, OnnxSignature } from "@tritype/onnx";
import type { HostFile } from "../compiler-host.ts";
import type { Tree } from "../tree.ts";

/** A step's ONNX file, into which the tensor math around the step's calls may be fused. */
export interface MathTaker {
  /** The file's path in the project. */
  readonly path: string;
  readonly file: HostFile;
  /** The file's name in the version folder. */
  readonly name: string;
  /** The other files of the version folder. */
  readonly beside: Tree;
  readonly signature: OnnxSignature;
  /** The file without the values of its tensors; decoded when it is first needed. */
  readonly outline: () => ModelProto;
}
