import type { InferRequest, InferResponse, LoadOverride } from "../runtime.ts";
import type { Asker } from "../backend.ts";
import type { CustomMetrics } from "../statistics/custom-metrics.ts";

/** Calls from Python models to the runtime that serves them. */
export interface ModelHost {
  /**
   * Checks a request; what is returned runs it.
   * @throws PipelineError as `Runtime.infer` for what cannot run; the promise rejects with what goes wrong then.
   */
  admit(request: InferRequest, asker: Asker): () => Promise<InferResponse>;
  isReady(model: string, version?: string): boolean;
  /** As `Runtime.load`. @param asker The model that asks. */
  load(asker: string, model: string, override: LoadOverride): Promise<void>;
  /** As `Runtime.unload`. @param asker The model that asks. */
  unload(asker: string, model: string, dependents: boolean): Promise<void>;
  readonly metrics: CustomMetrics;
}
