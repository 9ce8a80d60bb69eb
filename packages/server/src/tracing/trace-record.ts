import type { TensorData } from "@tritype/core";
import type { TracedRequest } from "@tritype/runtime";

/** The record of one traced request and of the requests that it caused, identified by number. */
export interface TraceRecord {
  /** `traceparent` and `tracestate` of a request's span, as JSON; undefined if no spans are created. */
  contextOf(id: number): string | undefined;
  /** A request has been accepted. @param parent The request that caused it; 0 for the client's. */
  request(id: number, parent: number, request: TracedRequest): void;
  /** @param at In microseconds of the runtime's clock. */
  activity(id: number, name: string, at: number): void;
  tensor(id: number, activity: string, name: string, tensor: TensorData): void;
  /** The record is complete. */
  end(): void;
}
