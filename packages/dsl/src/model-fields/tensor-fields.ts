import type { DType } from "@tritype/core";

/** Options for a model's input in addition to its type. */
export interface InputFields {
  /** Layout of an image, with three dims. Default none. */
  readonly format?: "none" | "nhwc" | "nchw";
  /** The model's dims, if they differ from those that clients send. Default: the same. */
  readonly reshape?: {
    /**
     * The model's dims without the batch. They have the same number of elements, with -1 where the client's dims have
     * -1. An empty list means one number per row.
     */
    readonly shape: readonly number[];
  };
  /** TensorRT: whether the tensor's values are a shape. Default false. */
  readonly isShapeTensor?: boolean;
  /** Whether requests with different shapes may share a batch; the backend gets them concatenated. Default false. */
  readonly allowRaggedBatch?: boolean;
  /** TensorRT: whether the engine needs a layout other than the linear one, with three dims. Default false. Since 24.08. */
  readonly isNonLinearFormatIo?: boolean;
}

/** Options for a model's output in addition to its type. */
export interface OutputFields {
  /** The model's dims, if they differ from those that clients receive. Default: the same. */
  readonly reshape?: {
    /**
     * The model's dims without the batch. They have the same number of elements, with -1 where the client's dims have
     * -1. An empty list means one number per row.
     */
    readonly shape: readonly number[];
  };
  /** A file in the project with one label per line, for the classification extension; copied into the model's folder. Default none. */
  readonly labelFilename?: string;
  /** TensorRT: whether the tensor's values are a shape. Default false. */
  readonly isShapeTensor?: boolean;
  /** TensorRT: whether the engine returns a layout other than the linear one, with three dims. Default false. Since 24.08. */
  readonly isNonLinearFormatIo?: boolean;
}

/** A tensor that Triton computes from a ragged batch for the model. */
export interface BatchInput {
  /**
   * Its content. For requests with 3 and 2 elements: `element_count` [3, 2], `accumulated_element_count` [3, 5], the same `_with_zero` [0,
   * 3, 5], `max_element_count_as_shape` a tensor of shape [3]. `item_shape`: every request's dims, one row each; `item_shape_flatten`: all
   * in one list.
   */
  readonly kind:
    | "element_count"
    | "accumulated_element_count"
    | "accumulated_element_count_with_zero"
    | "max_element_count_as_shape"
    | "item_shape"
    | "item_shape_flatten";
  /** The model's inputs that receive the tensor; at least one; you do not declare them as inputs. */
  readonly targetName: readonly string[];
  /** INT32 or FP32. */
  readonly dataType: DType;
  /** The input from which the tensor is computed; exactly one. */
  readonly sourceInput: readonly string[];
}

/** The rule for splitting an output of a ragged batch among its requests. */
export interface BatchOutput {
  /** The only kind: each request gets as many elements as its `sourceInput` has, with the same dims. */
  readonly kind: "scatter_with_input_shape";
  /** The outputs that are split in this way, at least one. */
  readonly targetName: readonly string[];
  /** The input whose dims determine the split: exactly one. */
  readonly sourceInput: readonly string[];
}
