import {
  type CallOptions,
  type ChannelCredentials,
  Client,
  credentials as channelCredentials,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { isBeforeRun, isOfStep, isTooLarge, refusedAs } from "../before-run.ts";
import { ClientError } from "../client-error.ts";
import { isBusy } from "../retry.ts";
import { requestHeaders } from "../request-headers.ts";
import type { Scope } from "../scope.ts";
import type { Transport } from "../transport.ts";
import {
  printInferRequest,
  printTarget,
  readConfig,
  readInferResponse,
  readMetadata,
  readReady,
  readStreamResponse,
} from "./messages.ts";

/** The address of a gRPC server, and how to connect to it. */
export interface GrpcServer {
  /** `127.0.0.1:8001` */
  readonly address: string;
  /** `credentials.createSsl()` for TLS. Default: unencrypted. */
  readonly credentials?: ChannelCredentials;
  /** Headers for every request, such as `authorization`; a function, which may be `async`, is called before each request. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Maximum size of an answer in bytes. Default 2147483647, 2 GiB. */
  readonly maxAnswerBytes?: number;
}

/** KServe v2 over gRPC, with requests of any size. @throws ClientError `invalid` for an invalid address. */
export const grpcTransport = ({
  address,
  credentials = channelCredentials.createInsecure(),
  headers = {},
  maxAnswerBytes = 2 ** 31 - 1,
}: GrpcServer): Transport => {
  requireAddress(address);
  const client = open(address, credentials, {
    "grpc.max_send_message_length": -1,
    "grpc.max_receive_message_length": maxAnswerBytes,
    // The default of 2 minutes would make requests fail long after a server is back.
    "grpc.max_reconnect_backoff_ms": 1000,
  });
  let closed = false;
  /** The metadata of a request that can be sent now. */
  const metadataNow = async (scope: Scope): Promise<Metadata> => {
    const metadata = metadataOf(await requestHeaders(headers, scope));
    if (closed) throw new ClientError("invalid", "the client is closed");
    return metadata;
  };
  const call = async <T>(
    method: string,
    request: Uint8Array,
    read: (answer: Uint8Array<ArrayBuffer>) => T,
    scope: Scope,
  ): Promise<T> => {
    const metadata = await metadataNow(scope);
    return new Promise((resolve, reject) => {
      const running = client.makeUnaryRequest<Uint8Array, Uint8Array>(
        service + method,
        bufferOf,
        (answer) => answer,
        request,
        metadata,
        untilDeadline(scope),
        (error, answer) => {
          scope.signal.removeEventListener("abort", cancel);
          if (error !== null) reject(scope.ended() ?? failure({ address, method }, error, scope));
          else
            try {
              resolve(read(plainBytes(answer ?? new Uint8Array())));
            } catch (cause) {
              reject(malformed(cause as Error));
            }
        },
      );
      const cancel = (): void => running.cancel();
      scope.signal.addEventListener("abort", cancel, { once: true });
      if (scope.signal.aborted) cancel();
    });
  };
  return {
    describe: async (target, scope) => {
      try {
        return await call("ModelConfig", printTarget(target), readConfig, scope);
      } catch (error) {
        // Only Triton has configurations; every KServe server has metadata.
        if (!(error instanceof ClientError) || error.status !== "UNIMPLEMENTED") throw error;
        return call("ModelMetadata", printTarget(target), readMetadata, scope);
      }
    },
    ready: async (target, scope) => {
      try {
        return await call("ModelReady", printTarget(target), readReady, scope);
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        if (error.kind === "unreachable" || error.kind === "lost" || error.kind === "refused") return false;
        throw error;
      }
    },
    infer: (request, scope) => call("ModelInfer", printInferRequest(request), readInferResponse, scope),
    stream: async function* (request, _, scope) {
      const method = "ModelStreamInfer";
      const metadata = await metadataNow(scope);
      const running = client.makeBidiStreamRequest<Uint8Array, Uint8Array>(
        service + method,
        bufferOf,
        (answer) => answer,
        metadata,
        untilDeadline(scope),
      );
      const cancel = (): void => running.cancel();
      scope.signal.addEventListener("abort", cancel, { once: true });
      // Cancelling after the last answer causes an error that does not matter.
      running.on("error", () => {});
      const parameters = { ...request.parameters, triton_enable_empty_final_response: true };
      running.write(printInferRequest({ ...request, parameters }));
      if (scope.signal.aborted) cancel();
      try {
        for await (const answer of running as AsyncIterable<Uint8Array>) {
          const { error, tensors, isLast } = readStreamResponse(plainBytes(answer));
          if (error !== "") throw refusal(method, { code: streamStatus(error), details: error }, scope);
          if (tensors.length > 0 || !isLast) yield tensors;
          if (isLast) return;
        }
        throw new ClientError("lost", `${address} ended the stream before the last answer`, {
          mayHaveRun: true,
        });
      } catch (cause) {
        if (cause instanceof ClientError) throw cause;
        if (cause instanceof RangeError) throw malformed(cause);
        throw scope.ended() ?? failure({ address, method }, cause as ServiceError, scope);
      } finally {
        scope.signal.removeEventListener("abort", cancel);
        running.end();
        cancel();
      }
    },
    close: () => {
      closed = true;
      client.close();
    },
  };
};

const open = (...given: ConstructorParameters<typeof Client>): Client => {
  try {
    return new Client(...given);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new ClientError(
      "invalid",
      `the client cannot be created: ${why} (\`credentials\` of a different copy of @grpc/grpc-js do not work: with tritype, import it from tritype/client/grpc)`,
      { cause },
    );
  }
};

const service = "/inference.GRPCInferenceService/";

const requireAddress = (address: unknown): void => {
  if (typeof address !== "string" || address === "" || /^https?:\/\//i.test(address))
    throw new ClientError(
      "invalid",
      `address must be like 127.0.0.1:8001, without http://, got ${JSON.stringify(address)}`,
    );
};

const metadataOf = (headers: Readonly<Record<string, string>>): Metadata => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers))
    try {
      metadata.set(name, value);
    } catch (cause) {
      const why = (cause as Error).message;
      throw new ClientError("invalid", `the header \`${name}\` cannot be sent: ${why}`, { cause });
    }
  return metadata;
};

const untilDeadline = (scope: Scope): CallOptions => {
  const left = scope.remainingMs();
  return left === undefined ? {} : { deadline: Date.now() + left };
};

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
/** Buffers' `slice` shares memory; the rest of the code relies on Uint8Array's. */
const plainBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

const malformed = (cause: Error): ClientError =>
  new ClientError("malformed", `the server's answer cannot be read: ${cause.message}`, {
    cause,
    mayHaveRun: true,
  });

/** grpc-js's own words for a connection that failed; its status is UNAVAILABLE or INTERNAL for many reasons. */
const neverConnected = /^No connection established|^Name resolution failed|ECONNREFUSED/;
const cutOff = /^Connection dropped|^Write |ECONNRESET|ETIMEDOUT|RST_STREAM|[Ss]ocket/;

/** Whether the error comes from the server, whose text may say anything; grpc-js's own errors have no headers. */
const isAnswer = ({ metadata }: ServiceError): boolean => metadata.get("content-type").length > 0;

/** grpc-js's words for a connection that failed → what may be wrong. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/Last error: Protocol error/, "this port does not speak gRPC; is it the HTTP port?"],
  [/Last error: Failed to connect/, "if the server uses TLS, set `credentials`"],
  [/wrong version number/, "the server does not use TLS; leave out `credentials`"],
];

const hintFor = (details: string): string => {
  const [, hint] = hints.find(([words]) => words.test(details)) ?? [];
  return hint === undefined ? "" : ` (${hint})`;
};

/** A request that was sent. */
interface Sent {
  readonly address: string;
  readonly method: string;
}

const failure = ({ address, method }: Sent, error: ServiceError, scope: Scope): ClientError => {
  const { code, details } = error;
  /** The words of grpc-js itself. */
  const own = isAnswer(error) ? "" : details;
  if (code === status.UNAVAILABLE && neverConnected.test(own))
    return new ClientError("unreachable", `no server answers at ${address}: ${details}${hintFor(details)}`, {
      cause: error,
    });
  // A cancellation that is not ours means that the server or a proxy ended the call.
  if (code === status.CANCELLED || cutOff.test(own))
    return new ClientError(
      "lost",
      `the connection to ${address} ended before the answer was complete: ${details}`,
      { cause: error, mayHaveRun: true },
    );
  if (isTooLarge(own)) return malformed(new RangeError(`${details} (\`maxAnswerBytes\`)`, { cause: error }));
  return refusal(method, error, scope);
};

/** The error for a server's refusal: a status, or a message of a stream. */
const refusal = (
  method: string,
  error: { readonly code: status | undefined; readonly details: string },
  { late }: Scope,
): ClientError => {
  const { code, details } = error;
  const cause = error instanceof Error ? { cause: error } : {};
  // Triton's message for a request whose `timeout` expired while it waited.
  if (code === status.DEADLINE_EXCEEDED || /timeout expired/i.test(details))
    return late(cause.cause, !isBeforeRun(details));
  const name = code === undefined ? undefined : (status[code] ?? String(code));
  const help = isTooLarge(details) ? "; for `pipeline dev`, set --grpc-max-message-size" : "";
  const lost = code === status.INVALID_ARGUMENT ? noReason : "without a reason";
  const answer = name === undefined ? "answers" : `answers ${name}`;
  return new ClientError(refusedAs(details), `${method} ${answer}: ${details || lost}${help}`, {
    ...cause,
    status: name,
    mayHaveRun: isBusy(name) ? isOfStep(details) : !isBeforeRun(details),
  });
};

/** Node drops a text that ends with a space. Triton's text for a wrong shape does, if the model is not batched. */
const noReason = "without a reason; it may be an input with an unexpected shape";

/**
 * Triton's messages in streams have no status. For the errors that the server sends before anything runs, the text determines the
 * status of a call with one answer; undefined for those of a model. With the header `triton_grpc_error`, a stream would have a
 * status, but Triton 24.10 crashes if messages follow the error.
 */
const streamStatus = (words: string): status | undefined => {
  const plain = words.replace(/^(?:\[request id: [^\]]*\] )?(?:in ensemble '[^']*', )*/, "");
  const [, known] = streamStatuses.find(([pattern]) => pattern.test(plain)) ?? [];
  return known ?? (isBeforeRun(plain) ? status.INVALID_ARGUMENT : undefined);
};
const streamStatuses: readonly (readonly [RegExp, status])[] = [
  [/^Request for unknown model: .* is not at ready state/, status.UNAVAILABLE],
  [/^Request for unknown model/, status.NOT_FOUND],
  [/^Exceeds maximum queue size|^Server is stopping/, status.UNAVAILABLE],
];
