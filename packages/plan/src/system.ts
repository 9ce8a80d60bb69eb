import type { BatchLimits } from "@tritype/triton";
import type { TimesAt } from "./service-times.ts";

/** A model on one server. */
export interface Station {
  readonly model: string;
  readonly instances: number;
  /** Processors that an execution uses; 0 if it runs on a GPU. */
  readonly threads: number;
  /** 0 for a model without batches. */
  readonly maxBatchSize: number;
  /** If undefined, every request runs alone. */
  readonly batching?: BatchLimits | undefined;
}

/** A call to a model in the ensemble. */
export interface SimulatedStep {
  /** Index of the station. */
  readonly station: number;
  /** Indexes of the steps whose outputs it needs. */
  readonly after: readonly number[];
  /** Times of an execution, by kind of request. */
  readonly times: readonly (readonly TimesAt[])[];
  /** The rows of each kind of request in this step. Default: those of the request. */
  readonly rows?: readonly number[] | undefined;
  /** A string for each kind of request: requests share a batch only if these strings are equal. */
  readonly shapes: readonly string[];
}

/** A server with an ensemble, and the requests to it. Times in microseconds. */
export interface System {
  readonly stations: readonly Station[];
  readonly steps: readonly SimulatedStep[];
  /** The kinds of requests, which are equally frequent: the rows of each. */
  readonly kinds: readonly number[];
  /** Processors that everything on a CPU shares. */
  readonly cores: number;
  readonly outside: OutsideTime;
  /**
   * The machine's pace, as recorded: a processor that is slow stays slow for a while, so several executions in a row are slow. Default: each
   * execution is slow or fast by chance.
   */
  readonly pace?: readonly Pace[] | undefined;
}

/** Executions in a row that take about `us` microseconds each: the share of all such executions that took less time than each of them, from 0 to 1. */
export interface Pace {
  readonly us: number;
  readonly shares: readonly number[];
}

/** Time that a request needs outside its models: HTTP, the ensemble. */
export interface OutsideTime {
  /** Quantiles of the time; empty for none. */
  readonly us: readonly number[];
  /** The part of this time in which a processor is used; 0 if unknown. */
  readonly processor: number;
  /** Quantiles of the time of a request to a server that was idle before, with everything that is slower then. Default: `us`. */
  readonly idle?: readonly number[] | undefined;
}
