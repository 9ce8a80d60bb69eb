import type { ErrorCode, TensorData } from "@tritype/core";
import type { GenerateTwinOptions } from "@tritype/manifest";
import type { DeclaredOutput } from "../declared-outputs.ts";

/** The files that a thread opens when it starts. */
export interface GenerateStart {
  readonly options: GenerateTwinOptions;
  /** Absolute path of the version folder. */
  readonly folder: string;
  readonly threads: number;
  readonly outputs: readonly DeclaredOutput[];
}

/** A request to the thread. */
export interface GenerateCall {
  readonly inputs: readonly (readonly [name: string, tensor: TensorData])[];
  readonly outputs: readonly string[];
}

/** A request's response, or its failure. */
export type GenerateAnswer =
  | { readonly outputs: readonly (readonly [name: string, tensor: TensorData])[] }
  | { readonly code: ErrorCode; readonly text: string };

export type ToThread =
  | { readonly kind: "execute"; readonly id: number; readonly calls: readonly GenerateCall[] }
  /** A call of an execution is no longer needed. */
  | { readonly kind: "cancel"; readonly id: number; readonly call: number };

/** The responses to the calls of an execution. */
export interface ThreadAnswer {
  readonly id: number;
  readonly answers: readonly GenerateAnswer[];
}
