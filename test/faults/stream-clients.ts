import { once } from "node:events";
import { constants, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { connect, type Socket } from "node:net";
import { Client, credentials } from "@grpc/grpc-js";
import { tensorOf } from "@tritype/core";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import type { Told } from "./talker.ts";

/** The number of messages, the size of each in bytes, and the pause between them in ms. */
export type Order = readonly [count: number, size: number, pause: number];

/** The messages that a client received for a request, and how often and how the request ended. */
export interface Seen {
  messages: number;
  readonly ends: string[];
}

const { path, request, response } = grpcMethod("ModelStreamInfer");

const inferMessage = (order: Order, id: string): object => ({
  ...grpcInferRequest({ model: "talker", id, inputs: new Map([["X", tensorOf("INT32", [3], [...order])]]) }),
  parameters: { triton_enable_empty_final_response: { bool_param: true } },
});

interface Answer {
  readonly error_message: string;
  readonly infer_response: {
    readonly id: string;
    readonly raw_output_contents: readonly Uint8Array[];
    readonly parameters: Readonly<Record<string, { readonly bool_param?: boolean }>>;
  };
}

/** One `ModelStreamInfer` with a request for each order; `status` resolves when the stream has ended. */
export const grpcStream = (address: string, orders: readonly Order[]) => {
  const client = new Client(address, credentials.createInsecure());
  const call = client.makeBidiStreamRequest(
    path,
    (message: object) => Buffer.from(request.encode(message)),
    (bytes: Buffer) => response.decode(bytes) as Answer,
  );
  const seen = new Map<string, Seen>(orders.map((_, id) => [String(id), { messages: 0, ends: [] }]));
  call.on("data", ({ error_message, infer_response }: Answer) => {
    const one = seen.get(infer_response.id);
    if (one === undefined) return;
    if (error_message !== "") one.ends.push(error_message);
    else if (infer_response.parameters["triton_final_response"]?.bool_param === true) one.ends.push("end");
    else one.messages++;
  });
  call.on("error", () => {});
  const status = new Promise<number>((resolve) => {
    call.on("status", ({ code }) => {
      client.close();
      resolve(code);
    });
  });
  for (const [id, order] of orders.entries()) call.write(inferMessage(order, String(id)));
  call.end();
  return { seen: [...seen.values()], status, leave: () => call.cancel() };
};

const body = (order: Order): string => JSON.stringify({ X: order });

/** One `generate_stream`; `closed` resolves when the response has ended or was cut off. */
export const sseStream = (url: string, order: Order) => {
  const gone = new AbortController();
  const seen: Seen = { messages: 0, ends: [] };
  const read = async (): Promise<void> => {
    const target = `${url}/v2/models/talker/generate_stream`;
    const reply = await fetch(target, { method: "POST", body: body(order), signal: gone.signal });
    let text = "";
    for await (const chunk of reply.body ?? []) {
      text += Buffer.from(chunk).toString();
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events)
        if (event.startsWith('data: {"error"')) seen.ends.push(event);
        else seen.messages++;
    }
    if (seen.ends.length === 0) seen.ends.push("end");
  };
  const closed = read().catch(() => void seen.ends.push("broken off"));
  return { seen, closed, leave: () => gone.abort() };
};

/** The model's report about its requests. */
export const told = async (url: string): Promise<Told> => {
  const target = `${url}/v2/models/talker/generate`;
  const reply = await fetch(target, { method: "POST", body: body([0, 0, 0]) });
  const { Y } = (await reply.json()) as { readonly Y: string };
  return JSON.parse(Y) as Told;
};

/** A client of `generate_stream` that never reads. */
export const deafSse = async (port: number, order: Order): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.pause();
  const text = body(order);
  socket.write(
    `POST /v2/models/talker/generate_stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  return socket;
};

/** A client of `ModelStreamInfer` that never reads; the library's own client reads ahead without a limit. */
export const deafGrpc = (session: ClientHttp2Session, order: Order): ClientHttp2Stream => {
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: "POST",
    [constants.HTTP2_HEADER_PATH]: path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => {});
  const bytes = request.encode(inferMessage(order, "0"));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.byteLength, 1);
  stream.write(Buffer.concat([head, bytes]));
  return stream;
};
