/** How much one output's rows depend on the rest of the batch: the largest absolute differences. */
export interface BatchDependence {
  /** One request with all rows, compared with one request per row. */
  readonly rowByRow: number;
  /** The rows in a different order, compared with the same rows in the original order. */
  readonly permuted: number;
}
