import type { DType } from "@tritype/core";
import type { InferenceSession } from "onnxruntime-node";

/** What an instance's worker opens when it starts. */
export interface WorkerStart {
  /** Path of the model, or its bytes. */
  readonly model: string | Uint8Array;
  readonly options: InferenceSession.SessionOptions;
}

/** A tensor on its way between threads: the elements of BYTES as strings, of all others as memory that changes its owner. */
export interface TravellingTensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: readonly string[] | Uint8Array;
}

export type ToWorker =
  | {
      readonly kind: "run";
      readonly id: number;
      readonly inputs: readonly TravellingTensor[];
      readonly outputs: readonly string[];
    }
  | { readonly kind: "stop" };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly message: string }
  | {
      readonly kind: "done";
      readonly id: number;
      readonly outputs: readonly TravellingTensor[];
      /** How long `session.run` took, in microseconds. */
      readonly took: number;
    }
  | { readonly kind: "failed"; readonly id: number; readonly message: string };
