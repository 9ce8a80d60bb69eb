/** Buckets for one of the model's histograms, which replace the server's buckets. */
export interface MetricControl {
  /** Which metric. */
  readonly metricIdentifier: {
    /** The histogram's name in `/metrics`, such as `nv_inference_first_response_histogram_ms`. */
    readonly family: string;
  };
  /** The histogram's settings. */
  readonly histogramOptions: {
    /** Upper bounds, ascending, in the metric's unit (milliseconds if the name ends in `_ms`); an infinite bound is added. */
    readonly buckets: readonly number[];
  };
}
