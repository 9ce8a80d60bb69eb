import type { Metadata } from "@grpc/grpc-js";
import { now } from "./moments.ts";
import type { ServerTrace } from "./open-trace.ts";
import type { Trace } from "./trace-settings.ts";

/**
 * The trace of a request that has been read, if it should be traced.
 * @param from When the request was received, in microseconds of the runtime's clock.
 */
export const sampleGrpc = (
  traces: Trace,
  model: string,
  metadata: Metadata,
  from: number,
): ServerTrace | undefined => {
  const header = (name: string): string | undefined => metadata.get(name)[0]?.toString();
  const trace = traces.sample(model, "grpc", () => ({
    traceparent: header("traceparent"),
    tracestate: header("tracestate"),
  }));
  trace?.moment("GRPC_WAITREAD_START", from);
  trace?.moment("GRPC_WAITREAD_END", now());
  return trace;
};
