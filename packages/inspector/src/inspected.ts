import { createHash } from "node:crypto";
import type { ModelStatistics } from "@tritype/protocol";
import type { Activity, Example, Live, ModelDetail, ModelView, Overview } from "./api.ts";

/** The subject of the page: a runtime of this process, or a server at an address. */
export interface Inspected {
  /** Whether requests of the page may record the tensors between the models. */
  readonly tensors: boolean;
  /** Changes whenever the description does. */
  stamp(): string | Promise<string>;
  describe(): Promise<Description>;
  live(): Live | Promise<Live>;
}

export interface Description {
  readonly overview: Overview;
  detail(model: ModelView): ModelDetail;
  examples(model: ModelView): readonly Example[];
}

/** A short text that differs if the value does. */
export const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);

/** The counters that every server has. */
export const activityOf = (one: ModelStatistics): Activity => {
  const { success, fail, queue, compute_infer } = one.inference_stats;
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
    batches: one.batch_stats.map(({ batch_size, compute_infer: { count } }) => [batch_size, count] as const),
  };
};
