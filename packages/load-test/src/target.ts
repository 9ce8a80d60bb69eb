/** Why a request has no good answer. */
export interface Failure {
  /**
   * The key by which failures are counted: "HTTP 503", "gRPC UNAVAILABLE", "ECONNREFUSED", "no answer in 30 s", "connection
   * lost".
   */
  readonly status: string;
  /** The server's words, or the system's. */
  readonly message: string;
  /** Without a connection the next attempt waits a little. */
  readonly lost: boolean;
}

/** One connection, one request at a time. It connects at the first request, and again after it was lost. */
export interface Connection {
  /** Sends the request of that number. Resolves to undefined when it is answered well; never rejects. */
  send(request: number): Promise<Failure | undefined>;
  /** Ends it. A request that waits for its answer fails. */
  close(): void;
}

/** The target of a load: a server, a protocol, and requests encoded in advance. */
export interface Target {
  /** How many different requests there are. */
  readonly requests: number;
  open(): Connection;
}
