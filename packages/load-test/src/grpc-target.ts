import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { decodedName } from "@tritype/core";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import type { TargetOptions } from "./http-target.ts";
import { lostConnection, noAnswer } from "./lost-connection.ts";
import type { Connection, Failure, Target } from "./target.ts";

/**
 * A server over gRPC, one HTTP/2 connection for each client, as every official client has its own channel. Messages are
 * encoded in advance and responses are not decoded.
 * @param address `127.0.0.1:8001`, unencrypted
 */
export const grpcTarget = (
  address: string,
  { model, requests, timeoutMs, streams = false, headers: own = {} }: TargetOptions,
): Target => {
  const { path, request: codec } = grpcMethod(streams ? "ModelStreamInfer" : "ModelInfer");
  const prepared = requests.map((request) =>
    frame(codec.encode(grpcInferRequest({ ...request, model, id: request.id ?? "" }))),
  );
  const headers = {
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])),
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  };
  return {
    requests: prepared.length,
    open: () => openConnection(address, headers, prepared, timeoutMs, streams),
  };
};

/** The gRPC message header: not compressed, and the length. */
const frame = (message: Uint8Array): Buffer => {
  const framed = Buffer.alloc(5 + message.byteLength);
  framed.writeUInt32BE(message.byteLength, 1);
  framed.set(message, 5);
  return framed;
};

const openConnection = (
  address: string,
  headers: Readonly<Record<string, string>>,
  prepared: readonly Buffer[],
  timeoutMs: number,
  streams: boolean,
): Connection => {
  let session: ClientHttp2Session | undefined;
  let reason: unknown;
  const connected = (): ClientHttp2Session => {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    reason = undefined;
    const opened = connect(`http://${address}`, { settings: { initialWindowSize: 4_194_304 } });
    opened.on("error", (error) => (reason = error));
    opened.once("connect", () => opened.setLocalWindowSize(16_777_216));
    session = opened;
    return opened;
  };
  let closed = false;
  const send = (
    request: number,
    again: boolean,
    onResponse: (() => void) | undefined,
  ): Promise<Failure | undefined> =>
    new Promise((resolve) => {
      if (closed) return resolve(lostConnection({ message: "the client closed it" }, timeoutMs));
      const stream = connected().request(headers);
      let answer: IncomingHttpHeaders = {};
      let failed: unknown;
      let late = false;
      stream.setTimeout(timeoutMs, () => {
        late = true;
        stream.close(constants.NGHTTP2_CANCEL);
      });
      stream.on("response", (head) => (answer = head));
      stream.on("trailers", (trailers) => (answer = { ":status": answer[":status"], ...trailers }));
      stream.on("error", (error) => (failed = error));
      let error: string | undefined;
      if (streams)
        stream.on(
          "data",
          messageReader((message) => {
            if (message[0] === errorTag) error ??= errorIn(message);
            else onResponse?.();
          }),
        );
      else stream.resume();
      stream.once("close", () => {
        // Sent again, as by every gRPC library: the server closed an old connection without reading this request.
        if (again && stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
          session = undefined;
          return resolve(send(request, false, onResponse));
        }
        const status = answer["grpc-status"];
        if (status === "0")
          resolve(
            error === undefined ? undefined : { status: "error in a stream", message: error, lost: false },
          );
        else if (late) resolve(noAnswer(timeoutMs));
        else if (status !== undefined) resolve(refusal(String(status), answer["grpc-message"]));
        else if (Number(answer[":status"] ?? 200) !== 200)
          resolve({
            status: `HTTP ${Number(answer[":status"])}`,
            message: "this is not a gRPC server",
            lost: false,
          });
        // The session reports the reason one turn after its streams close.
        else
          setImmediate(() =>
            resolve(lostConnection(reason ?? failed ?? { message: "the server closed it" }, timeoutMs)),
          );
      });
      stream.end(prepared[request]);
    });
  return {
    send: (request, onResponse) => send(request, true, onResponse),
    close: () => {
      closed = true;
      session?.destroy();
    },
  };
};

/** Calls back with each message of a call. A message arrives in many chunks, which are joined once it is complete. */
export const messageReader = (onMessage: (message: Buffer) => void): ((chunk: Buffer) => void) => {
  let chunks: Buffer[] = [];
  let size = 0;
  /** The number of bytes with which the next header or message is complete. */
  let wanted = headSize;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size < wanted) return;
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    for (;;) {
      wanted = rest.length < headSize ? headSize : headSize + rest.readUInt32BE(1);
      if (rest.length < wanted) break;
      onMessage(rest.subarray(headSize, wanted));
      rest = rest.subarray(wanted);
    }
    chunks = rest.length === 0 ? [] : [rest];
    size = rest.length;
  };
};

/** The bytes before each message: whether it is compressed, and its length. */
const headSize = 5;

/** The first byte of a response with an `error_message`. */
const errorTag = 0x0a;
const errorIn = (message: Buffer): string =>
  (grpcMethod("ModelStreamInfer").response.decode(message) as { readonly error_message: string })
    .error_message;

const names: readonly string[] = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

const refusal = (status: string, words: string | readonly string[] | undefined): Failure => ({
  status: `gRPC ${names[Number(status)] ?? status}`,
  message: decodedName(String(words ?? "no reason is given")),
  lost: false,
});
