import type { ServerDuplexStream, ServerUnaryCall } from "@grpc/grpc-js";
import { Cancellation } from "@tritype/runtime";

/** Aborted when the client cancels, disconnects, or its deadline expires. */
export const goneOf = (
  call: ServerUnaryCall<unknown, object> | ServerDuplexStream<unknown, object>,
): Cancellation => {
  const gone = new Cancellation();
  call.on("cancelled", () => gone.abort());
  if (call.cancelled) gone.abort();
  return gone;
};
