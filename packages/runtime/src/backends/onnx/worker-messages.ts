import type { DType } from "@tritype/core";
import type { InferenceSession } from "onnxruntime-node";

/** What an instance's worker opens when it starts. */
export interface WorkerStart {
  /** Path of the model, or its bytes. */
  readonly model: string | Uint8Array;
  readonly options: InferenceSession.SessionOptions;
  /** Shared libraries to load before ONNX Runtime is. */
  readonly preload?: readonly string[];
}

/** A tensor on its way between threads: the elements of BYTES as strings, of all others as memory that changes its owner. */
export interface TravellingTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: readonly string[] | Uint8Array;
}

export interface WorkerRun {
  readonly id: number;
  readonly inputs: readonly TravellingTensor[];
  readonly outputs: readonly string[];
}

export interface ToWorker {
  readonly kind: "run";
  readonly runs: readonly WorkerRun[];
}

export type WorkerAnswer =
  | {
      readonly id: number;
      readonly outputs: readonly TravellingTensor[];
      /** How long `session.run` took, in microseconds. */
      readonly took: number;
      /** When it ended, in microseconds of the process's monotonic clock. */
      readonly ended: number;
    }
  | { readonly id: number; readonly failure: string };
