import type { NamedTensors } from "@tritype/core";
import type { ModelMetadata } from "@tritype/protocol";
import type { ModelConfig } from "@tritype/triton";

/** Anything that answers requests: the local runtime, a real Triton, or a server at an address. */
export interface Endpoint {
  /** The endpoint's name in messages and reports. */
  readonly name: string;
  /** The available models. Undefined for a server that cannot list them; any model is then assumed to exist. */
  readonly models: readonly string[] | undefined;
  metadata(model: string): Promise<ModelMetadata>;
  config(model: string, version?: string): Promise<ModelConfig>;
  /**
   * @param version Default: the latest.
   * @param signal Cancels the request.
   * @throws PipelineError with the code of the failure.
   */
  infer(model: string, inputs: NamedTensors, version?: string, signal?: AbortSignal): Promise<NamedTensors>;
  /**
   * The outputs of each response of a model that may send several; undefined for a server over HTTP, which only streams JSON.
   * @throws PipelineError, after the responses that were sent before it.
   */
  stream?(
    model: string,
    inputs: NamedTensors,
    version?: string,
    signal?: AbortSignal,
  ): AsyncIterable<NamedTensors>;
  close(): Promise<void>;
}

/** Maximum number of rows in one request; 0 for a model without batching. */
export const maxBatchSizeOf = async (endpoint: Endpoint, model: string): Promise<number> =>
  (await endpoint.config(model)).max_batch_size ?? 0;
