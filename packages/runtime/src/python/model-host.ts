import type { InferRequest, InferResponse } from "../runtime.ts";
import type { Asker } from "../backend.ts";
import type { CustomMetrics } from "../statistics/custom-metrics.ts";

/** What Python models may ask of the runtime that serves them. */
export interface ModelHost {
  /**
   * Checks a request; what is returned runs it.
   * @throws PipelineError as `Runtime.infer` for what cannot run; the promise rejects with what goes wrong then.
   */
  admit(request: InferRequest, asker: Asker): () => Promise<InferResponse>;
  isReady(model: string, version?: string): boolean;
  readonly metrics: CustomMetrics;
}
