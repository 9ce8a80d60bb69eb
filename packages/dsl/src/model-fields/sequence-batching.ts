import type { DType } from "@tritype/core";
import type { Duration } from "./duration.ts";

/** The meaning of a control tensor. */
export interface SequenceControl {
  /**
   * The kinds, in this order: whether the request is the first in its sequence, whether the batch slot has a request, whether the request
   * is the last, and the sequence's ID.
   */
  readonly kind: "start" | "ready" | "end" | "corrid";
  /** An INT32 control: its values for false and true. Set one of the three for start, ready and end, and none for corrid. */
  readonly int32FalseTrue?: readonly [number, number];
  /** An FP32 control: its values for false and true. */
  readonly fp32FalseTrue?: readonly [number, number];
  /** A BOOL control: its values for false and true. */
  readonly boolFalseTrue?: readonly [boolean, boolean];
  /** Only for corrid, which requires it: UINT64, INT64, UINT32, INT32 or BYTES. */
  readonly dataType?: DType;
}

/** The value of a state when a sequence starts. */
export interface InitialState {
  /** Any non-empty name, for messages. */
  readonly name: string;
  /** The state's dtype. */
  readonly dataType: DType;
  /** Sizes without the batch; no -1, and equal to the state's fixed sizes. */
  readonly dims: readonly number[];
  /** All zeros. Set either this or `dataFile`. Default false. */
  readonly zeroData?: boolean;
  /** A file in the project with the tensor's little-endian bytes; it is copied into the model's `initial_state` folder. */
  readonly dataFile?: string;
}

/** A tensor that Triton keeps from one request of a sequence to the next. */
export interface SequenceState {
  /** The model's input that gets the state; you do not declare it as an input. */
  readonly inputName: string;
  /** The model's output that becomes the next request's state. */
  readonly outputName: string;
  /** The dtype of both tensors. */
  readonly dataType: DType;
  /** Sizes without the batch; -1 for variable sizes. */
  readonly dims: readonly number[];
  /** The value for the first request of a sequence; at most one. Default: undefined bytes, so the model must check its start control. */
  readonly initialState?: readonly InitialState[];
  /** Whether input and output share one buffer. Default false. */
  readonly useSameBufferForInputOutput?: boolean;
  /** Whether the buffer grows with the state; requires the shared buffer and a GPU. Default false. */
  readonly useGrowableMemory?: boolean;
}

/**
 * Sends all requests of a sequence to the same instance, in order. Triton: `sequence_batching`; cannot be combined with `dynamicBatching`.
 */
export interface SequenceBatching {
  /** Whether each sequence keeps a slot, or the oldest sequences are batched. Default: direct. */
  readonly strategy?:
    | {
        /** Each sequence keeps one slot of an instance's batch until it ends. For models that keep state per slot. */
        readonly direct: {
          /** How long requests may wait for `minimumSlotUtilization`. Default: they do not wait. */
          readonly maxQueueDelay?: Duration;
          /** Share of the slots that must be ready, 0 to 1. Default 0. */
          readonly minimumSlotUtilization?: number;
        };
      }
    | {
        /** The oldest active sequences with a request form a batch. For models that distinguish sequences by their ID. */
        readonly oldest: {
          /** Maximum number of active sequences per instance; later sequences wait. */
          readonly maxCandidateSequences: number;
          /** Batch sizes that run as soon as they are reached. None may exceed the largest batch. Default: the largest batch. */
          readonly preferredBatchSize?: readonly number[];
          /** How long a request may wait for others. Default: it does not wait. */
          readonly maxQueueDelay?: Duration;
          /** Send answers in the order of the requests. Default false. */
          readonly preserveOrdering?: boolean;
        };
      };
  /** The time without a request after which a sequence ends. Default `"1s"`. */
  readonly maxSequenceIdle?: Duration;
  /** Model inputs that Triton uses to pass a request's position in its sequence; each kind at most once. Default none. */
  readonly controlInput?: readonly {
    /** The model's input, one number per request; you do not declare it as an input. */
    readonly name: string;
    /** The meaning of the input; exactly one. */
    readonly control: readonly SequenceControl[];
  }[];
  /** Tensors that Triton keeps between the requests of a sequence. Python models cannot return them. Default none. */
  readonly state?: readonly SequenceState[];
  /** Whether the model reschedules the same request until it is done. Default false. */
  readonly iterativeSequence?: boolean;
}
