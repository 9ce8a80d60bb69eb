import { PipelineError } from "@tritype/core";
import type { ModelStatistics } from "@tritype/protocol";
import type { InferRequest } from "@tritype/runtime";
import type { Activity, Example, Live, ModelDetail, ModelView, Overview, Recording } from "./api.ts";
import type { RecordedTensor } from "./record-request.ts";

/** The subject of the page: a runtime of this process, or a server at an address. */
export interface Inspected {
  /** Whether requests of the page may record the tensors between the models. */
  readonly tensors: boolean;
  /** Sends requests step by step, if it does not record them itself. */
  readonly bySteps?: StepwiseServer | undefined;
  /** Changes whenever the description does. */
  stamp(): string | Promise<string>;
  describe(): Promise<Description>;
  live(): Live | Promise<Live>;
  /** Whether a model has had no request since it was loaded. Default: unknown. */
  readonly isUntouched?: (model: string, version: string) => boolean;
}

/** A remote server. The tensors between steps are known because each request is sent to it one step at a time. */
export interface StepwiseServer {
  readonly url: string;
  /** Never rejects. */
  record(request: InferRequest, signal: AbortSignal): Promise<StepwiseRecording>;
}

export interface StepwiseRecording {
  readonly recording: Recording<RecordedTensor>;
  /** The reason why the request failed. */
  readonly failure?: unknown;
}

/** Whether the failure is that the server did not answer. */
export const isLost = (error: unknown): boolean =>
  !PipelineError.is(error) || error.code === "server/unreachable";

export interface Description {
  readonly overview: Overview;
  /** @param version The version whose files are shown. Default: the latest that is served. */
  detail(model: ModelView, version?: number): ModelDetail;
  examples(model: ModelView): readonly Example[];
}

/** The counters that every server has. */
export const activityOf = (one: ModelStatistics): Activity => {
  const { success, fail, queue, compute_infer, cache_hit, cache_miss } = one.inference_stats;
  const ms = ({ ns }: { readonly ns: number }): number => ns / 1e6;
  return {
    model: one.name,
    version: one.version,
    success: success.count,
    failed: fail.count,
    rows: one.inference_count,
    executions: one.execution_count,
    took: ms(success),
    queue: ms(queue),
    compute: ms(compute_infer),
    hits: cache_hit?.count ?? 0,
    misses: cache_miss?.count ?? 0,
    batches: one.batch_stats.map(({ batch_size, compute_infer: { count } }) => [batch_size, count] as const),
  };
};
