import { Client, compressionAlgorithms, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { grpcMethod } from "@tritype/protocol";

export interface GrpcRequest {
  readonly method: string;
  /** The message; or the bytes that stand in its place. */
  readonly message: object | Uint8Array;
  readonly compression?: "deflate" | "gzip";
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What a call comes to: a message, or a status other than OK with its text. */
export type GrpcReply = { readonly message: object } | { readonly code: number; readonly text: string };

/** Calls one server. */
export interface GrpcCaller {
  call(request: GrpcRequest): Promise<GrpcReply>;
  /** The answers to a stream's messages, until the server ends it. */
  stream(messages: readonly object[]): Promise<readonly object[]>;
  close(): void;
}

export const openCaller = (address: string): GrpcCaller => {
  const clients = new Map<keyof typeof compressionAlgorithms, Client>();
  const clientOf = (algorithm: keyof typeof compressionAlgorithms): Client => {
    const known = clients.get(algorithm);
    if (known !== undefined) return known;
    const client = new Client(address, credentials.createInsecure(), {
      "grpc.default_compression_algorithm": compressionAlgorithms[algorithm],
      "grpc.max_receive_message_length": -1,
    });
    clients.set(algorithm, client);
    return client;
  };
  return {
    call: (request) => callOnce(clientOf(request.compression ?? "identity"), request),
    stream: (messages) => streamAll(clientOf("identity"), messages),
    close: () => {
      for (const client of clients.values()) client.close();
    },
  };
};

const encoded = (method: string, message: object): Buffer =>
  Buffer.from(message instanceof Uint8Array ? message : grpcMethod(method).request.encode(message));

const callOnce = (client: Client, { method, message, metadata = {} }: GrpcRequest): Promise<GrpcReply> =>
  new Promise((resolve) => {
    const { path, response } = grpcMethod(method);
    const sent = new Metadata();
    for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
    client.makeUnaryRequest(
      path,
      (one: object) => encoded(method, one),
      (bytes: Buffer) => response.decode(bytes) as object,
      message,
      sent,
      { deadline: Date.now() + 10_000 },
      (error: ServiceError | null, answer?: object) =>
        resolve(error === null ? { message: answer as object } : { code: error.code, text: error.details }),
    );
  });

const streamAll = (client: Client, messages: readonly object[]): Promise<readonly object[]> =>
  new Promise((resolve, reject) => {
    const { path, response } = grpcMethod("ModelStreamInfer");
    const stream = client.makeBidiStreamRequest(
      path,
      (one: object) => encoded("ModelStreamInfer", one),
      (bytes: Buffer) => response.decode(bytes) as object,
      { deadline: Date.now() + 10_000 },
    );
    const answers: object[] = [];
    stream.on("data", (answer: object) => answers.push(answer));
    stream.on("error", reject);
    stream.on("end", () => resolve(answers));
    for (const message of messages) stream.write(message);
    stream.end();
  });
