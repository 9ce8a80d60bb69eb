import type { DType } from "@tritype/core";

/** What an input of a model may say beside its type. */
export interface InputFields {
  /** Layout of an image; then three dims. Default none. */
  readonly format?: "none" | "nhwc" | "nchw";
  /** The model itself wants other dims than its clients give. Default: the same. */
  readonly reshape?: {
    /** The model's dims without the batch, as many elements; -1 where the client's have one. Empty: one number per row. */
    readonly shape: readonly number[];
  };
  /** TensorRT: the tensor's values are a shape. Default false. */
  readonly isShapeTensor?: boolean;
  /** Requests of unequal shapes may share a batch; the backend gets them side by side. Default false. */
  readonly allowRaggedBatch?: boolean;
  /** TensorRT: the engine wants another layout than the linear one; then three dims. Default false. Since 24.08. */
  readonly isNonLinearFormatIo?: boolean;
}

/** What an output of a model may say beside its type. */
export interface OutputFields {
  /** Clients get other dims than the model itself makes. Default: the same. */
  readonly reshape?: {
    /** The model's dims without the batch, as many elements; -1 where the client's have one. Empty: one number per row. */
    readonly shape: readonly number[];
  };
  /** A file of the project with one label per line, for the classification extension; copied into the model's folder. Default none. */
  readonly labelFilename?: string;
  /** TensorRT: the tensor's values are a shape. Default false. */
  readonly isShapeTensor?: boolean;
  /** TensorRT: the engine makes another layout than the linear one; then three dims. Default false. Since 24.08. */
  readonly isNonLinearFormatIo?: boolean;
}

/** A tensor that Triton makes of a ragged batch for the model. */
export interface BatchInput {
  /**
   * What it holds. Of requests with 3 and 2 elements: `element_count` [3, 2], `accumulated_element_count` [3, 5], the same
   * `_with_zero` [0, 3, 5], `max_element_count_as_shape` a tensor of shape [3]. `item_shape`: every request's dims, a row each;
   * `item_shape_flatten`: in one list.
   */
  readonly kind:
    | "element_count"
    | "accumulated_element_count"
    | "accumulated_element_count_with_zero"
    | "max_element_count_as_shape"
    | "item_shape"
    | "item_shape_flatten";
  /** The model's inputs that get it, at least one; you do not declare them as inputs. */
  readonly targetName: readonly string[];
  /** INT32 or FP32. */
  readonly dataType: DType;
  /** The input it is made of: one. */
  readonly sourceInput: readonly string[];
}

/** How an output of a ragged batch is given back to its requests. */
export interface BatchOutput {
  /** The only one: each request gets as many elements, in the same dims, as its `sourceInput` has. */
  readonly kind: "scatter_with_input_shape";
  /** The outputs that are given back so, at least one. */
  readonly targetName: readonly string[];
  /** The input whose dims tell how many elements are whose: one. */
  readonly sourceInput: readonly string[];
}
