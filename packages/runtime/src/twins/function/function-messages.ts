import type { TensorData } from "@tritype/core";
import type { FunctionTwinOptions } from "@tritype/manifest";
import type { Places } from "./tell-error.ts";

/** The data that a function's thread starts with. */
export interface FunctionStart {
  /** URL of the ES module that exports `run`. */
  readonly module: string;
  readonly options: FunctionTwinOptions;
  readonly places: Places;
}

export type TensorEntries = readonly (readonly [string, TensorData])[];

export interface FunctionCall {
  readonly inputs: TensorEntries;
  /** Requested outputs. */
  readonly outputs: readonly string[];
}

export type FromFunction =
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "answer"; readonly outputs: TensorEntries }
  | {
      readonly kind: "failure";
      readonly code: "request/invalid" | "request/cancelled" | "model/failed";
      readonly text: string;
    };

/** The result of a call. */
export type FunctionAnswer = Extract<FromFunction, { kind: "answer" | "failure" }>;
