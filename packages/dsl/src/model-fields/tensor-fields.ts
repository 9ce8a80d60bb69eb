import type { DType } from "@tritype/core";

/** What an input of a model may say beside its type. */
export interface InputFields {
  /** Layout of an image; then three dims. Default none. */
  readonly format?: "none" | "nhwc" | "nchw";
  /** Dims as the model itself wants them; as many elements. */
  readonly reshape?: { readonly shape: readonly number[] };
  /** TensorRT: the tensor holds a shape. Default false. */
  readonly isShapeTensor?: boolean;
  /** Requests of unequal shapes may share a batch; the backend gets them side by side. Default false. */
  readonly allowRaggedBatch?: boolean;
  /** TensorRT: not in linear layout. Default false. Since 24.08. */
  readonly isNonLinearFormatIo?: boolean;
}

/** What an output of a model may say beside its type. */
export interface OutputFields {
  readonly reshape?: { readonly shape: readonly number[] };
  /** A file of the project with one label per line, for the classification extension; copied into the model's folder. */
  readonly labelFilename?: string;
  readonly isShapeTensor?: boolean;
  /** Since 24.08. */
  readonly isNonLinearFormatIo?: boolean;
}

/** A tensor that Triton makes of a ragged batch for the model. */
export interface BatchInput {
  readonly kind:
    | "element_count"
    | "accumulated_element_count"
    | "accumulated_element_count_with_zero"
    | "max_element_count_as_shape"
    | "item_shape"
    | "item_shape_flatten";
  /** The model's inputs that get it. */
  readonly targetName: readonly string[];
  /** INT32 or FP32. */
  readonly dataType: DType;
  /** The input it is made of: one. */
  readonly sourceInput: readonly string[];
}

/** How an output of a ragged batch is given back to its requests. */
export interface BatchOutput {
  readonly kind: "scatter_with_input_shape";
  readonly targetName: readonly string[];
  readonly sourceInput: readonly string[];
}
