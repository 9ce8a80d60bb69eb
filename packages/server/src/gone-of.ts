import { setMaxListeners } from "node:events";
import type { ServerDuplexStream, ServerUnaryCall } from "@grpc/grpc-js";

/** Aborted when the client cancels, disconnects, or its deadline expires. */
export const goneOf = (
  call: ServerUnaryCall<unknown, object> | ServerDuplexStream<unknown, object>,
): AbortController => {
  const gone = new AbortController();
  // Each request of a stream listens to it.
  setMaxListeners(0, gone.signal);
  call.on("cancelled", () => gone.abort());
  if (call.cancelled) gone.abort();
  return gone;
};
