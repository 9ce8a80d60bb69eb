import type { DType } from "@tritype/core";
import type { Duration } from "./duration.ts";

/** One thing that a control tensor tells the model. */
export interface SequenceControl {
  /** The request is the sequence's first; there is one at all (a batch's empty slots have none); it is the last; the sequence's id. */
  readonly kind: "start" | "ready" | "end" | "corrid";
  /** An INT32 control: its values for false and true. One of the three for start, ready and end; none for corrid. */
  readonly int32FalseTrue?: readonly [number, number];
  /** An FP32 control: its values for false and true. */
  readonly fp32FalseTrue?: readonly [number, number];
  /** A BOOL control: its values for false and true. */
  readonly boolFalseTrue?: readonly [boolean, boolean];
  /** Only for corrid, which needs it: UINT64, INT64, UINT32, INT32 or BYTES. */
  readonly dataType?: DType;
}

/** What a state holds when a sequence starts. */
export interface InitialState {
  /** Any name, for messages; not empty. */
  readonly name: string;
  /** That of the state. */
  readonly dataType: DType;
  /** Sizes without the batch; no -1, and equal to those of the state that are fixed. */
  readonly dims: readonly number[];
  /** All zeros. This or `dataFile`. Default false. */
  readonly zeroData?: boolean;
  /** A file of the project with the tensor's bytes, little-endian; it is copied into the model's `initial_state` folder. */
  readonly dataFile?: string;
}

/** A tensor that Triton keeps from one request of a sequence to the next. */
export interface SequenceState {
  /** The model's input that gets the state; you do not declare it as an input. */
  readonly inputName: string;
  /** The model's output that the next request's state is taken from. */
  readonly outputName: string;
  /** Of both. */
  readonly dataType: DType;
  /** Sizes without the batch; -1 where they vary. */
  readonly dims: readonly number[];
  /** What the first request of a sequence gets: at most one. Default: undefined bytes, so that the model must look at its start control. */
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
        /** Each sequence keeps one slot of an instance's batch to its end. For models that hold state per slot. */
        readonly direct: {
          /** How long requests may wait for `minimumSlotUtilization`. Default: not at all. */
          readonly maxQueueDelay?: Duration;
          /** Share of the slots that must be ready, 0 to 1. Default 0. */
          readonly minimumSlotUtilization?: number;
        };
      }
    | {
        /** Of the sequences under way, the oldest ones with a request form a batch. For models that tell sequences by their id. */
        readonly oldest: {
          /** Sequences that each instance may have under way at once; later ones wait. */
          readonly maxCandidateSequences: number;
          /** Sizes that are sent as soon as they are reached; at most the largest batch. Default: the largest batch. */
          readonly preferredBatchSize?: readonly number[];
          /** How long a request may wait for others. Default: not at all. */
          readonly maxQueueDelay?: Duration;
          /** Answers leave in the order in which the requests came. Default false. */
          readonly preserveOrdering?: boolean;
        };
      };
  /** After this time without a request a sequence is over. Default `"1s"`. */
  readonly maxSequenceIdle?: Duration;
  /** Inputs of the model that Triton fills to say where in a sequence a request is; each kind at most once. Default none. */
  readonly controlInput?: readonly {
    /** The model's input, one number per request; you do not declare it as an input. */
    readonly name: string;
    /** What it tells: one. */
    readonly control: readonly SequenceControl[];
  }[];
  /** Tensors that Triton keeps between the requests of a sequence. Default none. */
  readonly state?: readonly SequenceState[];
  /** The model asks for the request again until it is done. Default false. */
  readonly iterativeSequence?: boolean;
}
