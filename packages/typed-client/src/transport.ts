import type { Contract } from "./contract.ts";
import type { Scope } from "./scope.ts";

/** A tensor in wire format: little-endian, in row-major order; BYTES elements with their lengths. */
export interface WireTensor {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array<ArrayBuffer>;
}

/** Request parameters of KServe v2, such as Triton's `priority` and `sequence_id`. */
export type Parameters = Readonly<Record<string, string | number | bigint | boolean>>;

/** The model and its version; default: the server's latest. */
export interface Target {
  readonly model: string;
  readonly version: string | undefined;
}

/** One inference on the wire. */
export interface WireRequest extends Target {
  readonly id: string | undefined;
  readonly parameters: Parameters;
  readonly inputs: readonly WireTensor[];
  readonly outputs: readonly string[];
  /** Names of the outputs to be returned as bytes. */
  readonly raw: readonly string[];
}

/** How requests reach a server. Every method sends once and rejects with a ClientError. */
export interface Transport {
  /** The server's description of a model. */
  describe(target: Target, scope: Scope): Promise<Contract>;
  /** Whether the model answers; false if there is no server. */
  ready(target: Target, scope: Scope): Promise<boolean>;
  infer(request: WireRequest, scope: Scope): Promise<readonly WireTensor[]>;
  /** The answers to a request as they arrive; the first `next()` sends it. Its `return()` ends the request. */
  stream(
    request: WireRequest,
    contract: Contract,
    scope: Scope,
  ): AsyncGenerator<readonly WireTensor[], void, void>;
  close(): void;
}
