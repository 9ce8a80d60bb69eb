/**
 * A fixed number of clients; each sends its next request after the response to the last. A slow server gets fewer
 * requests.
 */
export interface ClosedLoad {
  readonly kind: "closed";
  readonly clients: number;
}

/**
 * Requests at a fixed average rate, regardless of the server, at random times (a Poisson process that is the same for
 * the same seed). Latency counts from the time when a request was due, so that a server stall affects all requests that
 * were due in the meantime.
 */
export interface OpenLoad {
  readonly kind: "open";
  /** Requests per second, on average. */
  readonly rate: number;
  readonly seed: number;
  /**
   * Maximum number of simultaneous connections, each with one request; further requests wait, and the wait counts
   * towards their latency.
   */
  readonly connections: number;
}

export type Load = ClosedLoad | OpenLoad;
