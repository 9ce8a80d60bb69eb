/** How much the rows of one output depend on the rest of the batch: largest absolute differences. */
export interface BatchDependence {
  /** One request with all rows, compared with one request per row. */
  readonly rowByRow: number;
  /** The rows in another order, compared with the same rows in the original order. */
  readonly permuted: number;
}
