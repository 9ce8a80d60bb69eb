import type { NamedTensors } from "@tritype/core";
import type { JsonDouble } from "./json-value.ts";

/** A request parameter of KServe v2. An integer is an int64, unless it is a `JsonDouble`. */
export type Parameter = string | number | bigint | boolean | JsonDouble;
export type Parameters = Readonly<Record<string, Parameter>>;

export interface InferRequest {
  readonly model: string;
  /** Default: the latest version that is ready. */
  readonly version?: string | undefined;
  /** The client's id; "" if it sent none. */
  readonly id: string;
  /** Inputs in the order of the request. */
  readonly inputs: NamedTensors;
  /** Names of the requested outputs; undefined for all. */
  readonly outputs?: readonly string[] | undefined;
  /** Output → number of its largest elements to return instead of it: the classification extension. */
  readonly classes?: ReadonlyMap<string, number> | undefined;
  readonly parameters?: Parameters | undefined;
  /** Further parameters, which only the model reads: names like `priority` mean nothing to the server. */
  readonly modelParameters?: Parameters | undefined;
}

export interface InferResponse {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly outputs: NamedTensors;
  /** Triton adds sequence_id, sequence_start and sequence_end to every response of an ensemble. */
  readonly parameters?: Parameters | undefined;
}
