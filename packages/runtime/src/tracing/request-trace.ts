import type { NamedTensors } from "@tritype/core";

/** A request that a model has accepted. */
export interface TracedRequest {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly inputs: NamedTensors;
}

/** The times between the parts of an execution, in microseconds of the runtime's clock. */
export interface ComputeMoments {
  readonly start: number;
  readonly inputEnd: number;
  readonly outputStart: number;
  readonly end: number;
  /** Number of requests that ran together, including this one. */
  readonly together: number;
}

/**
 * Follows one request to one model, like `TRITONSERVER_InferenceTrace`. The last call is `ended` or `refused`; calls
 * of `child` may come later. Requests without tracing have none.
 */
export interface RequestTrace {
  /**
   * For a model that passes the trace on: `traceparent` and `tracestate` of its span, as JSON; undefined if no spans
   * are created.
   */
  readonly context: string | undefined;
  /**
   * Whether to follow requests of the model to other models even if it does not pass the trace on, as far as they can only belong to
   * this request. Default false, as in Triton.
   */
  readonly followsAll?: boolean;
  /** The trace of a request that the model sends to another model. */
  child(): RequestTrace;
  /** The request has passed the model's checks and goes to its scheduler. */
  accepted(request: TracedRequest): void;
  /** The model has responded: with outputs, with an error, or with the end of its stream and nothing else. */
  responded(response: NamedTensors | "error" | "end"): void;
  /** The response cache has the answer: no execution follows. */
  foundInCache?(): void;
  /** The request was part of an execution. @param again Whether it returns to its scheduler. */
  computed(moments: ComputeMoments, again: boolean): void;
  /** @param waited Whether the request waited for its model; otherwise its scheduler refused it. */
  ended(waited: boolean): void;
  /** The request did not pass the model's checks. */
  refused(): void;
}
