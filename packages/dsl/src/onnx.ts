import type { Signature } from "@tritype/core";
import type { Inferring, Signed } from "./inferring.ts";
import type { ServedModel } from "./served-model.ts";
import { makeDeclared } from "./step.ts";
import type { OneOrVersions, StepOf, Versions } from "./versions.ts";

/** A model file with its signature, written by `pipeline types` or by hand. */
export interface ModelFile<I extends Signature, O extends Signature> {
  /** Path from the project's root (the folder of `pipeline.config.ts`). */
  readonly file: string;
  /** Dtype and dims of every input, by name. */
  readonly inputs: I;
  /** Dtype and dims of every output, by name. */
  readonly outputs: O;
}

/** Options of one version. */
interface OneFile {
  /** Path from the project's root. */
  readonly file: string;
}

/** Options of a step that serves an ONNX file. */
export interface BackendOptions<I extends Signature = Signature, O extends Signature = Signature>
  extends ServedModel<I, O> {
  /** Path from the project's root (the folder of `pipeline.config.ts`): version 1 of the model. */
  readonly file?: string;
  /**
   * Instead of `file`: the file of each version, `{ 1: { file: "models/v1.onnx" }, 2: { file: "models/v2.onnx" } }`. All have the
   * declared inputs and outputs. Triton only serves the highest, unless `versionPolicy` says otherwise.
   */
  readonly versions?: Versions<OneFile>;
  /**
   * Whether tensor math right before or after the step becomes part of its model, where nothing else needs the tensors between them.
   * They then never leave the model: one request less, and on a GPU no copy. Default false.
   */
  readonly fuse?: boolean;
}

/**
 * An ONNX model, served by the ONNX Runtime backend. A first dim named "batch" makes it batched. Declare all of the file's
 * inputs, and at least some of its outputs. The compiler reads the file, or that of every version, and checks the declaration
 * against it.
 */
export const onnx = <const M extends Signed>(
  options: Inferring<M, OneOrVersions<M, BackendOptions<M["inputs"]>, OneFile>>,
): StepOf<M["inputs"], M["outputs"], M> => makeDeclared("onnx", options, onnx);
