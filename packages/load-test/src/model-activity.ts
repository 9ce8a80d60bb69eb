import type { ModelStatistics } from "@tritype/protocol";

/** The activity of one version of a model between two readings of a server's statistics. */
export interface ModelActivity {
  readonly model: string;
  readonly version: string;
  /** Requests that succeeded. */
  readonly requests: number;
  readonly failures: number;
  /** Number of rows: a batch of 8 counts as 8. */
  readonly inferences: number;
  /** Number of times the model ran. */
  readonly executions: number;
  /** Average rows per run; undefined if it did not run. */
  readonly averageBatch?: number | undefined;
  /** Mean per request from its arrival to its answer, in microseconds. */
  readonly totalUs?: number | undefined;
  /** Means per request, in microseconds. */
  readonly queueUs: number;
  readonly computeInputUs: number;
  readonly computeInferUs: number;
  readonly computeOutputUs: number;
  /** Number of runs by number of rows, ascending. */
  readonly batches: readonly { readonly rows: number; readonly executions: number }[];
}

/** The models that were active in between, by name; a server that was restarted in between counts from zero. */
export const modelActivity = (
  before: readonly ModelStatistics[],
  after: readonly ModelStatistics[],
): readonly ModelActivity[] =>
  after
    .map((now) => {
      const then = before.find(({ name, version }) => name === now.name && version === now.version);
      const restarted = then !== undefined && then.inference_count > now.inference_count;
      return activityOf(restarted ? undefined : then, now);
    })
    .filter(({ requests, failures, executions }) => requests + failures + executions > 0)
    .toSorted((a, b) =>
      a.model === b.model ? Number(a.version) - Number(b.version) : a.model < b.model ? -1 : 1,
    );

const activityOf = (then: ModelStatistics | undefined, now: ModelStatistics): ModelActivity => {
  const passed = (read: (statistics: ModelStatistics) => number): number =>
    read(now) - (then === undefined ? 0 : read(then));
  const requests = passed(({ inference_stats }) => inference_stats.success.count);
  const executions = passed(({ execution_count }) => execution_count);
  const inferences = passed(({ inference_count }) => inference_count);
  const meanUs = (
    part: "success" | "queue" | "compute_input" | "compute_infer" | "compute_output",
  ): number =>
    requests === 0 ? 0 : passed(({ inference_stats }) => inference_stats[part].ns) / requests / 1000;
  return {
    model: now.name,
    version: now.version,
    requests,
    failures: passed(({ inference_stats }) => inference_stats.fail.count),
    inferences,
    executions,
    ...(executions > 0 ? { averageBatch: inferences / executions } : {}),
    totalUs: meanUs("success"),
    queueUs: meanUs("queue"),
    computeInputUs: meanUs("compute_input"),
    computeInferUs: meanUs("compute_infer"),
    computeOutputUs: meanUs("compute_output"),
    batches: now.batch_stats
      .map(({ batch_size: rows, compute_infer }) => ({
        rows,
        executions:
          compute_infer.count -
          (then?.batch_stats.find(({ batch_size }) => batch_size === rows)?.compute_infer.count ?? 0),
      }))
      .filter(({ executions }) => executions > 0)
      .toSorted((a, b) => a.rows - b.rows),
  };
};
