import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { PipelineError } from "@tritype/core";
import { type Answer, emptyAnswer, errorAnswer, failureAnswer, type StreamedAnswer } from "./answer.ts";
import { type AllowedCallers, type CallerVerdict, createCallerCheck } from "./caller-check.ts";
import { serverError } from "./errors.ts";
import { headerLengthName } from "@tritype/protocol";
import { Cancellation, type CancelSignal } from "@tritype/runtime";

export interface ListenOptions extends AllowedCallers {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The option of the command that chooses another port. */
  readonly portOption: string;
  /** Called for internal failures that no request caused, in addition to the client's 500. */
  readonly onInternalError?: ((error: unknown) => void) | undefined;
}

export interface HttpServer {
  /** `http://127.0.0.1:8000` */
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no new connections, finishes requests that have arrived, then closes. Does not close the runtime.
   * @param limit Milliseconds after which connections are cut even if requests are still running. Default: no limit.
   */
  close(limit?: number): Promise<void>;
}

type AnyAnswer = Answer | StreamedAnswer;

/** @param signal Aborted when the client disconnects before it has its answer. */
export type AnswerCaller = (request: IncomingMessage, signal: CancelSignal) => AnyAnswer | Promise<AnyAnswer>;

/**
 * An HTTP server that answers every request with the result of `handle`, or with the answer to the error it throws.
 * @throws PipelineError `port/in-use`; `server/unreachable` if the host is not an address of this machine.
 */
export const serveAnswers = async (
  handle: AnswerCaller,
  { host, port, portOption, onInternalError, ...callers }: ListenOptions,
): Promise<HttpServer> => {
  const check = createCallerCheck(host, callers);
  /** Until the answer is written or the client has disconnected. */
  const running = new Set<ServerResponse>();
  let allEnded = (): void => {};
  let closing = false;
  const server = createServer((request, response) => {
    const gone = new Cancellation();
    running.add(response);
    response.on("close", () => {
      running.delete(response);
      if (!response.writableFinished) gone.abort();
      if (running.size === 0) allEnded();
    });
    const answer = answerCaller(check(request), request, () =>
      answerTo(() => handle(request, gone), onInternalError),
    );
    void answer.then((ready) => send(response, ready, closing));
  });
  // Node forgets the responses that wait for an earlier one on the same connection.
  server.on("connection", (socket) =>
    socket.once("close", () => {
      for (const response of running)
        if (response.req.socket === socket && response.socket === null) response.destroy().emit("close");
    }),
  );
  server.keepAliveTimeout = 60_000;
  server.on("clientError", refuse);
  await listen(server, host, port, portOption);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    close: async (limit) => {
      closing = true;
      const closed = once(server, "close");
      server.close();
      for (const { req } of running) if (!req.complete) req.destroy();
      const cut =
        limit === undefined ? undefined : setTimeout(() => server.closeAllConnections(), limit).unref();
      if (running.size > 0) await new Promise<void>((resolve) => (allEnded = resolve));
      clearTimeout(cut);
      server.closeAllConnections();
      await closed;
    },
  };
};

const answerTo = async (
  handle: () => AnyAnswer | Promise<AnyAnswer>,
  onInternalError: ListenOptions["onInternalError"],
): Promise<AnyAnswer> => {
  try {
    return await handle();
  } catch (error) {
    if (!PipelineError.is(error)) onInternalError?.(error);
    return failureAnswer(error);
  }
};

/** After the answer, Node reads and drops the rest of the request's body, so that a sending client sees the answer. */
const send = (response: ServerResponse, answer: AnyAnswer, closing: boolean): void => {
  const { status, headers } = answer;
  if (answer.sent !== undefined) {
    if (response.destroyed) answer.sent();
    else response.once("close", answer.sent);
  }
  if ("pieces" in answer) {
    response.writeHead(status, closing ? { ...headers, Connection: "close" } : headers);
    sendPieces(response, answer.pieces).catch(() => response.destroy());
    return;
  }
  answer.sending?.();
  sendWhole(response, answer, closing);
};

/** Largest body in bytes that is copied, so that Node can write it in one piece with the head. */
const smallBody = 16_384;

const sendWhole = (response: ServerResponse, { status, headers, body }: Answer, closing: boolean): void => {
  const length = Buffer.byteLength(body);
  // A list takes less time to read than an object.
  const head: string[] = [];
  for (const name of Object.keys(headers)) head.push(name, headers[name] as string);
  head.push("Content-Length", String(length));
  if (closing) head.push("Connection", "close");
  response.writeHead(status, head);
  if (typeof body === "string" || length === 0 || length > smallBody) {
    response.end(body);
    return;
  }
  const { socket } = response;
  // `end(text)` would write two pieces, the second of them empty, which takes a sixth more processor time.
  socket?.cork();
  response.write(Buffer.from(body.buffer, body.byteOffset, length).toString("latin1"), "latin1");
  socket?.uncork();
  response.end();
};

/** Takes a piece only when the client has read the earlier ones, and none for a client that has disconnected. */
const sendPieces = async (response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> => {
  response.flushHeaders();
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await writable(response);
  }
  response.end();
};

const writable = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
    if (response.destroyed) done();
  });

/** Bytes that are not HTTP also get an answer, then the connection ends. */
const refuse = (error: Error & { code?: string }, socket: Duplex): void => {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const { body } = errorAnswer(400, "Bad Request");
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body.toString()}`,
  );
};

const listen = async (server: Server, host: string, port: number, portOption: string): Promise<void> => {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    if (code === "EADDRINUSE" || code === "EACCES")
      throw serverError(
        code === "EACCES" ? "port/denied" : "port/in-use",
        { port, host, option: portOption },
        { cause },
      );
    throw serverError("port/cannot-listen", { host, why: message }, { cause });
  }
};

/**
 * The response to a caller: 403 if it is refused; a page of an allowed origin also gets CORS headers, and responses to
 * its preflights.
 */
const answerCaller = (
  verdict: CallerVerdict,
  request: IncomingMessage,
  handle: () => Promise<AnyAnswer>,
): Promise<AnyAnswer> => {
  if (verdict.kind === "own") return handle();
  return verdict.kind === "refused"
    ? Promise.resolve(errorAnswer(403, verdict.reason))
    : answerPage(verdict.origin, request, handle);
};

const answerPage = async (
  origin: string,
  request: IncomingMessage,
  handle: () => Promise<AnyAnswer>,
): Promise<AnyAnswer> => {
  if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined)
    return { ...emptyAnswer, headers: { ...shared(origin), ...preflight(request) } };
  const answer = await handle();
  return { ...answer, headers: { ...answer.headers, ...shared(origin) } };
};

const shared = (origin: string): Answer["headers"] => ({
  "Access-Control-Allow-Origin": origin,
  "Access-Control-Expose-Headers": headerLengthName,
  Vary: "Origin",
});

const preflight = ({ headers }: IncomingMessage): Answer["headers"] => ({
  "Access-Control-Allow-Methods": "GET, POST",
  "Access-Control-Allow-Headers": headers["access-control-request-headers"] ?? "Content-Type",
  "Access-Control-Max-Age": "600",
  ...(headers["access-control-request-private-network"] === "true"
    ? { "Access-Control-Allow-Private-Network": "true" }
    : {}),
});
