/** How much the rows of one output depend on the rest of the batch: largest absolute differences. */
export interface BatchDependence {
  /** One request of all rows against one request for each row. */
  readonly rowByRow: number;
  /** The rows in another order, against the same rows in the first. */
  readonly permuted: number;
}
