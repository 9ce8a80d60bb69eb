import type { Dims, DType, Signature } from "@tritype/core";
import type { OptionalNames, Request, ShapedElements, TensorInput } from "../values.ts";

/** Settings for a warmup request in addition to its tensors. */
export interface WarmupFields {
  /**
   * The request's name in Triton's log and in the file names in the model's `warmup` folder. Default: a name with its position in the list,
   * such as `sample_1`.
   */
  readonly name?: string;
  /**
   * How many one-row requests reach the model at the same time: from 1 to the largest batch, or 1 for models without batching. Default: the
   * number of rows in `inputs`. Triton repeats a single row: the longest one, if `inputs` has several.
   */
  readonly batchSize?: number;
  /** How many times in a row the sample runs; at least 1. Default 1. */
  readonly count?: number;
}

/** A request to an ensemble that warms up its members before they are ready. */
export interface WarmupSample<I extends Signature = Signature> extends WarmupFields {
  /** Every input, as a client would write it: strings, typed arrays with their shape, or nested lists, including the batch. */
  readonly inputs: Request<I>;
  /**
   * TensorRT optimizes for the sizes of this sample; at most one per ensemble. Default: the first sample. The smallest and largest sizes of
   * all samples are the limits of the engine, so the longest sample should be as long as the longest request.
   */
  readonly profile?: "opt";
}

/** How an input is filled, as in Triton's configuration: one of the three sources of data, and the dims without the batch. */
export type WarmupData = {
  /** Default: the input's own dtype. */
  readonly dataType?: DType;
  /** Sizes of one row, without the batch; no -1. */
  readonly dims: readonly number[];
} & (
  | {
      /** Zeros, or empty strings. */
      readonly zeroData: true;
    }
  | {
      /** Random bytes, which may form any number, including NaN; strings are empty. */
      readonly randomData: true;
    }
  | {
      /**
       * A file in the project that is copied into the model's folder: little-endian elements; each string is preceded by its length as a
       * uint32.
       */
      readonly inputDataFile: string;
    }
);

/**
 * An input of a model's own warmup request: values as a client writes them, zeros or random bytes of the declared sizes, or the source of
 * the data. For strings, zeros and random bytes give empty strings; random ids are outside any vocabulary.
 */
export type WarmupInput<D extends DType, S extends Dims> =
  | (number extends S["length"] ? readonly unknown[] | ShapedElements<D> : TensorInput<D, S>)
  | "zero"
  | "random"
  | WarmupData;

/** A request that Triton sends to one model before it is ready: Triton's `model_warmup`. */
export interface ModelWarmup<I extends Signature = Signature> extends WarmupFields {
  /** Every input of the model, by name; you may omit optional inputs. */
  readonly inputs: {
    readonly [K in Exclude<keyof I, OptionalNames<I>>]: WarmupInput<I[K]["dtype"], I[K]["dims"]>;
  } & { readonly [K in OptionalNames<I>]?: WarmupInput<I[K]["dtype"], I[K]["dims"]> };
}
