/** So many clients, each sends its next request when the last one is answered. A slow server is asked less often. */
export interface ClosedLoad {
  readonly kind: "closed";
  readonly clients: number;
}

/**
 * Requests a second whatever the server does, at random times (a Poisson process, the same for the same seed). Latency counts from
 * the time a request was meant to go out, so that a server that stalls is charged for all who would have asked meanwhile.
 */
export interface OpenLoad {
  readonly kind: "open";
  /** Requests a second, on average. */
  readonly rate: number;
  readonly seed: number;
  /** The most connections at a time, each with one request; others wait, and their latency counts on. */
  readonly connections: number;
}

export type Load = ClosedLoad | OpenLoad;
