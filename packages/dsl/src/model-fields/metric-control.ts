/** Buckets of a histogram of the model, in place of the server's. */
export interface MetricControl {
  /** Which metric. */
  readonly metricIdentifier: {
    /** Its name as `/metrics` has it, such as `nv_inference_first_response_histogram_ms`. */
    readonly family: string;
  };
  /** How it counts. */
  readonly histogramOptions: {
    /** Upper bounds, ascending, in the metric's unit (milliseconds where the name ends in `_ms`); one to infinity is added. */
    readonly buckets: readonly number[];
  };
}
