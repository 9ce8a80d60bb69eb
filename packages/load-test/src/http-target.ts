import { Client, type Dispatcher } from "undici";
import { errorTextOf, type InferRequestMessage, printInferRequest } from "@tritype/protocol";
import { lostConnection } from "./lost-connection.ts";
import type { Connection, Failure, Target } from "./target.ts";

export interface TargetOptions {
  /** The model to which the requests are sent. */
  readonly model: string;
  /** At least one. */
  readonly requests: readonly InferRequestMessage[];
  /** The time in milliseconds that a request may wait for its response, accurate to about a second. */
  readonly timeoutMs: number;
  /** Headers of every request; over gRPC, its metadata. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A server over HTTP, one persistent HTTP/1.1 connection for each client; tensors as binary data. @param url `http://127.0.0.1:8000` */
export const httpTarget = (
  url: string,
  { model, requests, timeoutMs, headers: own }: TargetOptions,
): Target => {
  const { origin, pathname } = new URL(url);
  const prepared = requests.map((request): Dispatcher.DispatchOptions => {
    const { contentType, headers, body } = printInferRequest(request, { binary: true });
    return {
      method: "POST",
      path: `${pathname.replace(/\/+$/, "")}/v2/models/${model}/infer`,
      headers: { ...own, "content-type": contentType, ...headers },
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    };
  });
  return {
    requests: prepared.length,
    open: () => openConnection(origin, prepared, timeoutMs),
  };
};

const openConnection = (
  origin: string,
  prepared: readonly Dispatcher.DispatchOptions[],
  timeoutMs: number,
): Connection => {
  const client = new Client(origin, {
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    keepAliveTimeout: 60_000,
  });
  return {
    send: (request) =>
      new Promise((resolve) => {
        const options = prepared[request];
        if (options === undefined || client.destroyed)
          return resolve({ status: "connection lost", message: "the client closed it", lost: true });
        let status = 0;
        let words: Buffer[] | undefined;
        client.dispatch(options, {
          onRequestStart: () => undefined,
          onResponseStart: (_, code) => {
            status = code;
            if (code !== 200) words = [];
          },
          onResponseData: (_, chunk) => void words?.push(chunk),
          onResponseEnd: () =>
            resolve(words === undefined ? undefined : refusal(status, Buffer.concat(words))),
          onResponseError: (_, error) => resolve(lostConnection(error, timeoutMs)),
        });
      }),
    close: () => void client.destroy().catch(() => undefined),
  };
};

const refusal = (status: number, body: Buffer): Failure => ({
  status: `HTTP ${status}`,
  message: errorTextOf(body.toString("utf8")).slice(0, 4096) || "no reason is given",
  lost: false,
});
