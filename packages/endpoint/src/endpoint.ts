import type { NamedTensors } from "@tritype/core";
import type { ModelMetadata } from "@tritype/protocol";
import type { ModelConfig } from "@tritype/triton";

/** Who answers requests: the local runtime, a real Triton, a server at an address. */
export interface Endpoint {
  /** As messages and reports name it. */
  readonly name: string;
  /** What can be asked; undefined for a server that lists nothing: it has what it is asked for. */
  readonly models: readonly string[] | undefined;
  metadata(model: string): Promise<ModelMetadata>;
  config(model: string, version?: string): Promise<ModelConfig>;
  /** @param version Default: the latest. @throws PipelineError with the code of what went wrong. */
  infer(model: string, inputs: NamedTensors, version?: string): Promise<NamedTensors>;
  close(): Promise<void>;
}

/** Most rows of one request; 0 for a model without batches. */
export const maxBatchSizeOf = async (endpoint: Endpoint, model: string): Promise<number> =>
  (await endpoint.config(model)).max_batch_size ?? 0;
