import type { Runtime } from "@tritype/runtime";

/** The response of the statistics extension. @throws PipelineError as `Runtime.statistics` does. */
export const printStatistics = (runtime: Runtime, model?: string, version?: string): object => ({
  model_stats: runtime.statistics(model, version).map((one) => {
    const { name, last_inference, inference_count, execution_count } = one;
    const { inference_stats, response_stats, batch_stats, memory_usage } = one;
    return {
      name,
      version: one.version,
      last_inference,
      inference_count,
      execution_count,
      inference_stats,
      response_stats,
      batch_stats,
      memory_usage,
    };
  }),
});
