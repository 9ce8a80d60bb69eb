import type { ModelRequest, ModelResult } from "../backend.ts";

/** Decides when, where and with whom the requests of one model version run. */
export interface Scheduler {
  /** Never rejects: a failure is the result's `error`. */
  infer(request: ModelRequest): Promise<ModelResult>;
  /** Resolves when every request that was taken has its result. Requests that come later are refused. */
  close(): Promise<void>;
}
