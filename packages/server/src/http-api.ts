import type { Steps } from "@tritype/protocol";
import type { CancelSignal, InferRequest, RequestTrace, StreamedMessage } from "@tritype/runtime";
import type { Answer, StreamedAnswer } from "./answer.ts";

/** Another API on the same port, with the same checks of hosts and origins and the same limits. */
export interface HttpApi {
  /** Prefix of the paths that it answers; Triton has no such paths. */
  readonly path: string;
  answer(request: HttpApiRequest): Promise<Answer | StreamedAnswer>;
}

/** An HTTP request to another API, and its client's access to the models. */
export interface HttpApiRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** @throws PipelineError `request/too-large` above that number of bytes, or above the server's limit. */
  readBody(longest: number): Promise<Uint8Array>;
  /**
   * The result of these steps on the body; other requests are answered in between.
   * @throws PipelineError `request/too-large` above the server's limit; the steps' own errors.
   */
  readMessage<T>(steps: (body: Uint8Array) => Steps<T>): Promise<T>;
  /** Like `Runtime.stream`; cancelled when the client disconnects. */
  askModel(request: InferRequest, trace?: RequestTrace): AsyncIterable<StreamedMessage>;
  /** Aborted when the client disconnects. */
  readonly signal: CancelSignal;
  /** Called for internal failures that no request caused. */
  readonly onInternalError?: ((error: unknown) => void) | undefined;
}
