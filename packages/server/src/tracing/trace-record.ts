import type { TensorData } from "@tritype/core";
import type { TracedRequest } from "@tritype/runtime";

/** The record of one traced request and of the requests that it led to, which are known by number. */
export interface TraceRecord {
  /** `traceparent` and `tracestate` of a request's span, as JSON; undefined if no spans are made. */
  contextOf(id: number): string | undefined;
  /** A request has been accepted. @param parent The request that led to it; 0 for the client's. */
  request(id: number, parent: number, request: TracedRequest): void;
  /** @param at Microseconds of the runtime's clock. */
  activity(id: number, name: string, at: number): void;
  tensor(id: number, activity: string, name: string, tensor: TensorData): void;
  /** Nothing more will come. */
  end(): void;
}
