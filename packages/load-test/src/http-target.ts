import { type NamedTensors, type Scalar, type TensorData, valuesOf } from "@tritype/core";
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
  /** Whether the model streams: HTTP then uses `generate_stream`, whose requests are JSON. Default false. */
  readonly streams?: boolean;
  /** Headers of every request; over gRPC, its metadata. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A server over HTTP, one persistent HTTP/1.1 connection for each client; tensors as binary data. @param url `http://127.0.0.1:8000` */
export const httpTarget = (
  url: string,
  { model, requests, timeoutMs, streams = false, headers: own }: TargetOptions,
): Target => {
  const { origin, pathname } = new URL(url);
  const prepared = requests.map((request): Dispatcher.DispatchOptions => {
    const { contentType, headers, body } = streams
      ? { contentType: "application/json", headers: {}, body: Buffer.from(plainJson(request.inputs)) }
      : printInferRequest(request, { binary: true });
    return {
      method: "POST",
      path: `${pathname.replace(/\/+$/, "")}/v2/models/${model}/${streams ? "generate_stream" : "infer"}`,
      headers: { ...own, "content-type": contentType, ...headers },
      body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    };
  });
  return {
    requests: prepared.length,
    open: () => openConnection(origin, prepared, timeoutMs, streams),
  };
};

/** A request of `generate_stream`, which derives the shapes from the configuration. */
const plainJson = (inputs: NamedTensors): string =>
  `{${[...inputs].map(([name, tensor]) => `${JSON.stringify(name)}:${elementsOf(tensor)}`).join(",")}}`;

const elementsOf = (tensor: TensorData): string => {
  const elements = Array.from<Scalar, string>(valuesOf(tensor), (one) =>
    typeof one === "bigint" ? String(one) : JSON.stringify(one),
  );
  return elements.length === 1 ? (elements[0] ?? "") : `[${elements.join(",")}]`;
};

const openConnection = (
  origin: string,
  prepared: readonly Dispatcher.DispatchOptions[],
  timeoutMs: number,
  streams: boolean,
): Connection => {
  const client = new Client(origin, {
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    keepAliveTimeout: 60_000,
  });
  return {
    send: (request, onResponse) =>
      new Promise((resolve) => {
        const options = prepared[request];
        if (options === undefined || client.destroyed)
          return resolve({ status: "connection lost", message: "the client closed it", lost: true });
        let status = 0;
        let words: Buffer[] | undefined;
        let failed: string | undefined;
        const events = eventReader((event) => {
          if (event.startsWith('{"error":')) failed ??= event;
          else onResponse?.();
        });
        client.dispatch(options, {
          onRequestStart: () => undefined,
          onResponseStart: (_, code) => {
            status = code;
            if (code !== 200) words = [];
          },
          onResponseData: (_, chunk) => {
            if (words !== undefined) words.push(chunk);
            else if (streams) events(chunk);
          },
          onResponseEnd: () => {
            const text = words === undefined ? failed : Buffer.concat(words).toString("utf8");
            resolve(text === undefined ? undefined : refusal(status, text));
          },
          onResponseError: (_, error) => resolve(lostConnection(error, timeoutMs)),
        });
      }),
    close: () => void client.destroy().catch(() => undefined),
  };
};

/** Calls back with the data of each server-sent event. The chunks of a long event are joined once. */
export const eventReader = (onEvent: (data: string) => void): ((chunk: Buffer) => void) => {
  let chunks: Buffer[] = [];
  const end = (last: Buffer): void => {
    const event = Buffer.concat([...chunks, last]).toString("utf8");
    chunks = [];
    onEvent(event.replace(/^data: /, ""));
  };
  return (chunk) => {
    let start = 0;
    const before = chunks.at(-1);
    if (chunk[0] === lineBreak && before?.at(-1) === lineBreak) {
      chunks.splice(-1, 1, before.subarray(0, -1));
      end(chunk.subarray(0, 0));
      start = 1;
    }
    for (let at = chunk.indexOf("\n\n", start); at >= 0; at = chunk.indexOf("\n\n", start)) {
      end(chunk.subarray(start, at));
      start = at + 2;
    }
    if (start < chunk.length) chunks.push(chunk.subarray(start));
  };
};
const lineBreak = 0x0a;

const refusal = (status: number, body: string): Failure => ({
  status: status === 200 ? "error in a stream" : `HTTP ${status}`,
  message: errorTextOf(body).slice(0, 4096) || "no reason is given",
  lost: false,
});
