import type { DType } from "@tritype/core";
import type { InferenceSession } from "onnxruntime-node";

/** The model and libraries that an instance's worker opens when it starts. */
export interface WorkerStart {
  /** Path of the model, or its bytes. */
  readonly model: string | Uint8Array;
  readonly options: InferenceSession.SessionOptions;
  /** Shared libraries to load before ONNX Runtime. */
  readonly preload?: readonly string[];
}

/** A tensor passed between threads: the elements of BYTES as strings, all others as transferred memory. */
export interface TravellingTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: readonly string[] | Uint8Array;
}

/** The outputs of one run, and when it ran. */
export interface SessionRun {
  readonly outputs: readonly TravellingTensor[];
  /** Duration of `session.run` in microseconds. */
  readonly took: number;
  /** When it ended, in microseconds of the process's monotonic clock. */
  readonly ended: number;
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
  | ({ readonly id: number } & SessionRun)
  | { readonly id: number; readonly failure: string };
