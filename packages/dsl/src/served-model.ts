import type { Signature } from "@tritype/core";
import type { DynamicBatching } from "./model-fields/dynamic-batching.ts";
import type { ModelFields } from "./model-fields/model-fields.ts";
import type { ModelWarmup } from "./model-fields/model-warmup.ts";
import type { SequenceBatching } from "./model-fields/sequence-batching.ts";
import type { BatchInput, BatchOutput, InputFields, OutputFields } from "./model-fields/tensor-fields.ts";

/** A step that becomes a model on one of Triton's backends: its tensors, and how they are batched. */
export interface ServedModel<I extends Signature = Signature, O extends Signature = Signature>
  extends ModelFields {
  /** Name of the model in the repository: letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  /** Dtype and dims of every input, by name. */
  readonly inputs: I;
  /** Dtype and dims of the outputs that you need, by name. */
  readonly outputs: O;
  /** Largest batch that Triton may form. Default: the ensemble's value. */
  readonly maxBatchSize?: number;
  /**
   * Merges waiting requests into batches; null turns this off. Default: the ensemble's `members`, otherwise `{}`, which does not wait for
   * more requests; for `python` and `custom`, and with `sequenceBatching`, no merging.
   */
  readonly dynamicBatching?: DynamicBatching | null;
  /**
   * Sends all requests of a sequence to the same instance. Default: off. Cannot be combined with `dynamicBatching`. Its control tensors,
   * states and batch inputs are inputs of the model that you do not declare.
   */
  readonly sequenceBatching?: SequenceBatching;
  /** Inputs that Triton computes from a ragged batch. Default none. */
  readonly batchInput?: readonly BatchInput[];
  /** Outputs that Triton splits after a ragged batch. Default none. */
  readonly batchOutput?: readonly BatchOutput[];
  /**
   * Requests that Triton sends to this model before it is ready. They run before those captured from the samples in the ensemble's
   * `warmup`, and replace those with the same name. Default none.
   */
  readonly modelWarmup?: readonly ModelWarmup<I>[];
  /** Additional options of each input, by input name. Default: none. */
  readonly inputFields?: { readonly [K in keyof I]?: InputFields };
  /** Additional options of each output, by output name. Default: none. */
  readonly outputFields?: { readonly [K in keyof O]?: OutputFields };
}
