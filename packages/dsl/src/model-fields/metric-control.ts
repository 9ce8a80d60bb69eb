/** Buckets of a histogram of the model, replacing the server's. */
export interface MetricControl {
  /** Which metric. */
  readonly metricIdentifier: {
    /** Its name in `/metrics`, such as `nv_inference_first_response_histogram_ms`. */
    readonly family: string;
  };
  /** How the metric counts. */
  readonly histogramOptions: {
    /** Upper bounds, ascending, in the metric's unit (milliseconds if the name ends in `_ms`); a bound of infinity is added. */
    readonly buckets: readonly number[];
  };
}
