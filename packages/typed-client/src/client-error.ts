/**
 * The reason why a call failed:
 *
 * - `invalid`: the request does not fit the ensemble; the client found this, and nothing was sent.
 * - `contract`: the server's ensemble is not, or is no longer, the one that this client was generated for.
 * - `refused`: the server answered with an error; `status` has its code.
 * - `forgotten`: the server does not have the sequence: it was idle for too long, or the server was restarted.
 * - `unreachable`: no connection could be established.
 * - `lost`: the connection ended before the answer was complete.
 * - `deadline`: the time limit was reached.
 * - `cancelled`: the caller's signal was aborted.
 * - `malformed`: the answer cannot be read.
 */
export type ClientErrorKind =
  | "invalid"
  | "contract"
  | "refused"
  | "forgotten"
  | "unreachable"
  | "lost"
  | "deadline"
  | "cancelled"
  | "malformed";

/** One difference between a server's ensemble and the one that a client was generated for. */
export interface ContractDifference {
  readonly side: "input" | "output";
  readonly tensor: string;
  /** `FP32[batch, 384]`; undefined if the client does not know the tensor. */
  readonly expected: string | undefined;
  /** undefined if the server does not have the tensor. */
  readonly got: string | undefined;
}

/** Details of an error in addition to its message. */
export interface ClientErrorDetails {
  readonly cause?: unknown;
  readonly tensor?: string;
  readonly expected?: string;
  readonly got?: string;
  readonly status?: number | string | undefined;
  readonly mayHaveRun?: boolean;
  readonly onKeptConnection?: boolean;
  readonly differences?: readonly ContractDifference[];
  readonly retryAfterMs?: number | undefined;
}

/** The only error type of this client. */
export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  /** Name of the faulty input or output, if there is one. */
  readonly tensor: string | undefined;
  /** The expected and the actual value, if known. */
  readonly expected: string | undefined;
  readonly got: string | undefined;
  /**
   * For `refused` and `forgotten`: the HTTP status (400), or the name of the gRPC status ("INVALID_ARGUMENT"). undefined for an
   * error in a stream if the server sent only a text that does not determine it.
   */
  readonly status: number | string | undefined;
  /** False if the inference certainly did not run in any attempt of the call. */
  readonly mayHaveRun: boolean = false;
  /**
   * For `lost`: the connection had served earlier requests, and the server closed it before the head of the answer was
   * complete, which happens when a server is replaced.
   */
  readonly onKeptConnection: boolean = false;
  /** For `contract`: every difference. */
  readonly differences: readonly ContractDifference[] = [];
  /** For `refused`: how long the server asks you to wait (`Retry-After`). */
  readonly retryAfterMs: number | undefined;

  constructor(kind: ClientErrorKind, message: string, details: ClientErrorDetails = {}) {
    super(message, details);
    this.name = "ClientError";
    this.kind = kind;
    Object.assign(this, details);
  }
}
