/** Buckets for one of the model's histograms; they replace the server's. */
export interface MetricControl {
  /** Which metric. */
  readonly metricIdentifier: {
    /** Its name in `/metrics`, such as `nv_inference_first_response_histogram_ms`. */
    readonly family: string;
  };
  /** How the metric counts. */
  readonly histogramOptions: {
    /** Upper bounds, ascending, in the metric's unit (milliseconds if the name ends in `_ms`); an infinite bound is added. */
    readonly buckets: readonly number[];
  };
}
