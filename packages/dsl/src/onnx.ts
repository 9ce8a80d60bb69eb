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
  /** Dtype and dims of every input, by name. */
  readonly inputs: I;
  /** Dtype and dims of every output, by name. */
  readonly outputs: O;
}

/** What belongs to one version. */
interface OneFile {
  /** Path from the project's root. */
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
  /** Dtype and dims of every input of the file, by name. */
  readonly inputs: I;
  /** Dtype and dims of the outputs that are wanted, by name. */
  readonly outputs: O;
  /** Largest batch Triton may form. Default: the ensemble's. */
  readonly maxBatchSize?: number;
  /** Merges requests into batches. Default: the `members` of the ensemble, else no merging. */
  readonly dynamicBatching?: DynamicBatching;
  /**
   * Sends the requests of a sequence to one instance. Default: none. Excludes `dynamicBatching`. Its control tensors, states and
   * batch inputs are inputs of the file that you do not declare.
   */
  readonly sequenceBatching?: SequenceBatching;
  /** Inputs that Triton makes of a ragged batch. Default none. */
  readonly batchInput?: readonly BatchInput[];
  /** Outputs that Triton cuts up after a ragged batch. Default none. */
  readonly batchOutput?: readonly BatchOutput[];
  /**
   * Requests that Triton sends to this model before it is ready. They come before those that the ensemble's `warmup` captures from
   * its samples; of two with one name these stay. Default none.
   */
  readonly modelWarmup?: readonly ModelWarmup<I>[];
  /** What else there is to say of inputs, by name. Default nothing. */
  readonly inputFields?: { readonly [K in keyof I]?: InputFields };
  /** What else there is to say of outputs, by name. Default nothing. */
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
