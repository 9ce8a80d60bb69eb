/** The reason why a request has no successful response. */
export interface Failure {
  /**
   * The key by which failures are counted: "HTTP 503", "gRPC UNAVAILABLE", "ECONNREFUSED", "no answer in 30 s", "connection
   * lost".
   */
  readonly status: string;
  /** The server's message, or the system's. */
  readonly message: string;
  /** Without a connection, there is a short delay before the next attempt. */
  readonly lost: boolean;
}

/**
 * One connection that sends one request at a time. It connects on the first request, and reconnects after the
 * connection is lost.
 */
export interface Connection {
  /**
   * Sends the request with this number. Resolves to undefined if the response is successful; never rejects.
   * @param onResponse Called with each response of a stream.
   */
  send(request: number, onResponse?: () => void): Promise<Failure | undefined>;
  /** Closes the connection. A pending request fails. */
  close(): void;
}

/** The target of a load: a server, a protocol, and requests encoded in advance. */
export interface Target {
  /** Number of different requests. */
  readonly requests: number;
  open(): Connection;
}
