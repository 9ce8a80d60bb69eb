import type { InferRequest, InferResponse, LoadOverride } from "../runtime.ts";
import type { Asker } from "../backend.ts";
import type { MessageQueue } from "../streaming/message-queue.ts";
import type { CustomMetrics } from "../statistics/custom-metrics.ts";

/** Calls from Python models to the runtime that serves them. */
export interface ModelHost {
  /**
   * Checks a request; the returned function runs it.
   * @throws PipelineError as `Runtime.infer` for an invalid request; the promise rejects with failures of the run.
   */
  admit(request: InferRequest, asker: Asker): () => Promise<InferResponse>;
  /** Like `admit`, but for a model of any kind; the returned function yields its messages. */
  admitStream(request: InferRequest, asker: Asker): () => MessageQueue;
  isReady(model: string, version?: string): boolean;
  /** Whether a request to this ready model needs `admitStream`. */
  decoupled(model: string, version?: string): boolean;
  /** Like `Runtime.load`. @param asker The calling model. */
  load(asker: string, model: string, override: LoadOverride): Promise<void>;
  /** Like `Runtime.unload`. @param asker The calling model. */
  unload(asker: string, model: string, dependents: boolean): Promise<void>;
  readonly metrics: CustomMetrics;
}
