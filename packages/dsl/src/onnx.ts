import type { Signature } from "@tritype/core";
import { checkOptions } from "./check-options.ts";
import type { Inferring } from "./inferring.ts";
import type { DynamicBatching } from "./model-fields/dynamic-batching.ts";
import type { ModelFields } from "./model-fields/model-fields.ts";
import type { ModelWarmup } from "./model-fields/model-warmup.ts";
import type { SequenceBatching } from "./model-fields/sequence-batching.ts";
import type { BatchInput, BatchOutput, InputFields, OutputFields } from "./model-fields/tensor-fields.ts";
import { makeStep } from "./step.ts";
import type { OneOrVersions, StepOf, Versions } from "./versions.ts";

/** A model file with the signature it has: what `pipeline types` writes and what you may write by hand. */
export interface ModelFile<I extends Signature, O extends Signature> {
  /** Path from the project's root (the folder of `pipeline.config.ts`). */
  readonly file: string;
  readonly inputs: I;
  readonly outputs: O;
}

/** What belongs to one version. */
interface OneFile {
  readonly file: string;
}

/** A step that serves a model file on one of Triton's backends. */
export interface BackendOptions<I extends Signature = Signature, O extends Signature = Signature>
  extends ModelFields {
  /** Name of the model in the repository: letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  /** Path from the project's root (the folder of `pipeline.config.ts`): version 1 of the model. */
  readonly file?: string;
  /**
   * In place of `file`: the file of each version, `{ 1: { file: "models/v1.onnx" }, 2: { file: "models/v2.onnx" } }`. All have the
   * declared inputs and outputs. Triton serves the highest only, unless `versionPolicy` says otherwise.
   */
  readonly versions?: Versions<OneFile>;
  readonly inputs: I;
  readonly outputs: O;
  /** Largest batch Triton may form. Default: the ensemble's. */
  readonly maxBatchSize?: number;
  readonly dynamicBatching?: DynamicBatching;
  /** Excludes `dynamicBatching`. Its control tensors, states and batch inputs are inputs of the file that you do not declare. */
  readonly sequenceBatching?: SequenceBatching;
  readonly batchInput?: readonly BatchInput[];
  readonly batchOutput?: readonly BatchOutput[];
  /** Requests that Triton sends to this model before it is ready. The ensemble's `warmup` writes them from real samples. */
  readonly modelWarmup?: readonly ModelWarmup<I>[];
  /** By name of the input. */
  readonly inputFields?: { readonly [K in keyof I]?: InputFields };
  /** By name of the output. */
  readonly outputFields?: { readonly [K in keyof O]?: OutputFields };
}

/**
 * An ONNX model, served by the ONNX Runtime backend. A dim called "batch" first makes it batched. Outputs may be a subset of
 * the file's; inputs must be all of them. The compiler reads the file, or every version's, and holds the declaration against it.
 */
export const onnx = <const M extends BackendOptions>(
  options: Inferring<M, OneOrVersions<M, BackendOptions<M["inputs"]>, OneFile>>,
): StepOf<M["inputs"], M["outputs"], M> => {
  checkOptions("onnx", options);
  const { name, inputs, outputs, ...rest } = options as BackendOptions;
  return makeStep({ kind: "onnx", name, inputs, outputs, options: rest, calledAs: onnx }) as never;
};
