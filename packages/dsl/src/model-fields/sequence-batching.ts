import type { DType } from "@tritype/core";
import type { Duration } from "./duration.ts";

/** One thing that a control tensor tells the model. */
export interface SequenceControl {
  /** The sequence starts, goes on, ends; or its correlation id. */
  readonly kind: "start" | "ready" | "end" | "corrid";
  /** The values that stand for false and true; one of the three for start, ready and end. */
  readonly int32FalseTrue?: readonly [number, number];
  readonly fp32FalseTrue?: readonly [number, number];
  readonly boolFalseTrue?: readonly [boolean, boolean];
  /** For the correlation id: UINT64, INT64, UINT32, INT32 or BYTES. */
  readonly dataType?: DType;
}

/** What a state holds when a sequence starts. */
export interface InitialState {
  readonly name: string;
  readonly dataType: DType;
  /** Without the batch; no -1. */
  readonly dims: readonly number[];
  readonly zeroData?: boolean;
  /** A file of the project with the tensor's bytes; it is copied into the model's `initial_state` folder. */
  readonly dataFile?: string;
}

/** A tensor that Triton keeps from one request of a sequence to the next. */
export interface SequenceState {
  readonly inputName: string;
  readonly outputName: string;
  readonly dataType: DType;
  readonly dims: readonly number[];
  readonly initialState?: readonly InitialState[];
  /** Input and output share one buffer. Default false. */
  readonly useSameBufferForInputOutput?: boolean;
  /** The buffer grows with the state; needs the shared buffer and a GPU. Default false. */
  readonly useGrowableMemory?: boolean;
}

/** Requests of a sequence go to one instance, in order. Triton: `sequence_batching`; excludes `dynamicBatching`. */
export interface SequenceBatching {
  /** Each sequence keeps a slot, or the oldest sequences are batched. Default: direct. */
  readonly strategy?:
    | {
        readonly direct: {
          readonly maxQueueDelay?: Duration;
          /** Share of the slots that must be ready, 0 to 1. Default 0. */
          readonly minimumSlotUtilization?: number;
        };
      }
    | {
        readonly oldest: {
          /** Sequences that may be under way at once. */
          readonly maxCandidateSequences: number;
          readonly preferredBatchSize?: readonly number[];
          readonly maxQueueDelay?: Duration;
          readonly preserveOrdering?: boolean;
        };
      };
  /** After this time without a request a sequence is over. Default `"1s"`. */
  readonly maxSequenceIdle?: Duration;
  readonly controlInput?: readonly { readonly name: string; readonly control: readonly SequenceControl[] }[];
  readonly state?: readonly SequenceState[];
  /** The model asks for the request again until it is done. Default false. */
  readonly iterativeSequence?: boolean;
}
