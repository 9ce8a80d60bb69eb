import type { RawTensor } from "./contract.ts";
import type { Parameters } from "./transport.ts";

/** Settings for one call. */
export interface CallOptions {
  /** Cancels the call, which rejects with `cancelled`. */
  readonly signal?: AbortSignal;
  /** Like the client's `deadlineMs`. The remaining time is also sent to the server, as Triton's request parameter `timeout`. */
  readonly deadlineMs?: number;
}

/** Settings for one stream. */
export interface StreamOptions<Wanted, Raw> extends CallOptions {
  /** Names of the outputs to return. Default: all. */
  readonly outputs?: readonly Wanted[];
  /** Names of BYTES outputs to return as bytes instead of text. */
  readonly raw?: readonly Raw[];
  /** An ID that appears in the server's messages and traces. */
  readonly id?: string;
  /** Triton's request parameters: `priority`, `sequence_id`, … */
  readonly parameters?: Parameters;
}

/** Settings for one inference. */
export interface InferOptions<Wanted, Raw> extends StreamOptions<Wanted, Raw> {
  /** The inference may run twice, so a request is retried if its connection broke. Default false. */
  readonly idempotent?: boolean;
}

/** The result of an inference: the requested outputs by name. */
export type Answer<Outputs, Wanted extends keyof Outputs, Raw> = {
  readonly [Name in Wanted]: Name extends Raw
    ? RawTensor<Outputs[Name] extends { readonly shape: infer Shape } ? Shape : never>
    : Outputs[Name];
};
