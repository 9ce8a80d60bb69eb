import type { InferRequest, InferResponse } from "@tritype/protocol";
import type { CancelSignal, RequestTrace, Runtime } from "@tritype/runtime";

/** One message of a model: a response or a failure; or only the end, with neither. */
export interface ModelMessage {
  readonly response?: InferResponse;
  readonly error?: unknown;
  readonly final: boolean;
}

/**
 * The messages of a model. A failure after the request has reached the model is its last message.
 * @param accepted Called when the request reaches its model, which may still refuse it.
 * @throws PipelineError from the first `next()` for a request that did not reach its model.
 */
export async function* modelMessages(
  runtime: Runtime,
  request: InferRequest,
  signal: CancelSignal,
  accepted?: () => void,
  trace?: RequestTrace,
): AsyncGenerator<ModelMessage, void, undefined> {
  let reached = false;
  const reach = (): void => {
    reached = true;
    accepted?.();
  };
  try {
    for await (const message of runtime.stream(request, signal, reach, trace)) {
      if (message.refused !== undefined) {
        reached = false;
        throw message.refused;
      }
      yield message;
    }
  } catch (error) {
    if (!reached) throw error;
    yield { error, final: true };
  }
}
