import type { NamedTensors } from "@tritype/core";

/** A request parameter of KServe v2. */
export type Parameter = string | number | bigint | boolean;
export type Parameters = Readonly<Record<string, Parameter>>;

export interface InferRequest {
  readonly model: string;
  /** Default: the latest version that is ready. */
  readonly version?: string;
  /** The client's id; "" when it gave none. */
  readonly id: string;
  /** In the order of the request. */
  readonly inputs: NamedTensors;
  /** Names of the wanted outputs; undefined for all. */
  readonly outputs?: readonly string[];
  /** Output → how many of its largest elements are wanted in its place: the classification extension. */
  readonly classes?: ReadonlyMap<string, number>;
  readonly parameters?: Parameters;
}

export interface InferResponse {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly outputs: NamedTensors;
  /** Triton adds sequence_id, sequence_start and sequence_end to every answer of an ensemble. */
  readonly parameters?: Parameters;
}
