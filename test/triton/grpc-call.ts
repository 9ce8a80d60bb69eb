import { Client, compressionAlgorithms, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { grpcMethod } from "@tritype/protocol";

export interface GrpcRequest {
  readonly method: string;
  /** The message, or bytes to send in its place. */
  readonly message: object | Uint8Array;
  readonly compression?: "deflate" | "gzip";
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The result of a call: a message, or a status other than OK with its text. */
export type GrpcReply = { readonly message: object } | GrpcStatus;
export interface GrpcStatus {
  readonly code: number;
  readonly text: string;
}

/** Calls a single server. */
export interface GrpcCaller {
  call(request: GrpcRequest): Promise<GrpcReply>;
  /** The answers to a stream's messages until the server ends it. A status other than OK comes last. */
  stream(
    messages: readonly object[],
    metadata?: Readonly<Record<string, string>>,
  ): Promise<readonly (object | GrpcStatus)[]>;
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
    stream: (messages, metadata) => streamAll(clientOf("identity"), messages, metadata),
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
    client.makeUnaryRequest(
      path,
      (one: object) => encoded(method, one),
      (bytes: Buffer) => response.decode(bytes) as object,
      message,
      metadataOf(metadata),
      { deadline: Date.now() + 100_000 },
      (error: ServiceError | null, answer?: object) =>
        resolve(error === null ? { message: answer as object } : { code: error.code, text: error.details }),
    );
  });

const streamAll = (
  client: Client,
  messages: readonly object[],
  metadata: Readonly<Record<string, string>> = {},
): Promise<readonly (object | GrpcStatus)[]> =>
  new Promise((resolve) => {
    const { path, response } = grpcMethod("ModelStreamInfer");
    const stream = client.makeBidiStreamRequest(
      path,
      (one: object) => encoded("ModelStreamInfer", one),
      (bytes: Buffer) => response.decode(bytes) as object,
      metadataOf(metadata),
      { deadline: Date.now() + 100_000 },
    );
    const answers: (object | GrpcStatus)[] = [];
    stream.on("data", (answer: object) => answers.push(answer));
    stream.on("error", ({ code, details }: ServiceError) => resolve([...answers, { code, text: details }]));
    stream.on("end", () => resolve(answers));
    for (const message of messages) stream.write(message);
    stream.end();
  });

const metadataOf = (entries: Readonly<Record<string, string>>): Metadata => {
  const sent = new Metadata();
  for (const [name, value] of Object.entries(entries)) sent.set(name, value);
  return sent;
};
