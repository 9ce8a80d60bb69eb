import type { Runtime } from "@tritype/runtime";

/** The response of the statistics extension. @throws PipelineError as `Runtime.statistics` does. */
export const printStatistics = (runtime: Runtime, model?: string, version?: string): object => ({
  model_stats: runtime.statistics(model, version).map((one) => {
    const { pending: _, cached: __, tags: ___, failures: ____, summaries: _____, ...printed } = one;
    return printed;
  }),
});
