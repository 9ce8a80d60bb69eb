import { setTimeout as sleep } from "node:timers/promises";
import {
  logVerbosity,
  setLogVerbosity,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
} from "@grpc/grpc-js";
import { attempt, foreignError, PipelineError } from "@tritype/core";
import { grpcMethod, grpcMethodNames, type MessageCodec } from "@tritype/protocol";
import type { Runtime } from "@tritype/runtime";
import { createExtensions, type Extensions } from "./extensions.ts";
import { forwardedGrpc, type ForwardedNames } from "./forwarded-headers.ts";
import { healthHandlers, healthService } from "./grpc-health.ts";
import { type GrpcCall, unaryMethods } from "./grpc-methods.ts";
import { goneOf } from "./gone-of.ts";
import { statusOf, textOf } from "./grpc-status.ts";
import { streamInfer } from "./grpc-stream.ts";
import { requireGrpcHeader, type Restrictions } from "./restrictions.ts";
import { serverError } from "./errors.ts";
import { now } from "./tracing/moments.ts";
import type { ServerTrace } from "./tracing/open-trace.ts";
import { sampleGrpc } from "./tracing/sample-grpc.ts";
import type { Trace } from "./tracing/trace-settings.ts";

export interface GrpcOptions {
  /** Default 127.0.0.1: this machine only. */
  readonly host?: string;
  /** Default 8001, as in Triton; 0 takes any free port. */
  readonly port?: number;
  /** Maximum size of a received message in bytes. Default 256 MiB. */
  readonly maxMessageBytes?: number;
  /** The metadata that models get as parameters of inference requests: a pattern that matches any part of the names. Default: none. */
  readonly forwardedNames?: ForwardedNames;
  /** The header that calls to a part of the API need, without the prefix `triton-grpc-protocol-`. Default: none. */
  readonly restrictions?: Restrictions | undefined;
  /** Shared with the HTTP server of the same runtime, and closed by the caller. Default: the server has its own. */
  readonly extensions?: Extensions;
  /** Called for internal failures that the request did not cause; the client gets INTERNAL. */
  readonly onInternalError?: (error: unknown) => void;
}

export interface GrpcServer {
  /** `127.0.0.1:8001` */
  readonly address: string;
  readonly port: number;
  /**
   * Accepts no new calls, finishes running ones, then closes. Does not close the runtime.
   * @param limit Milliseconds after which connections are cut even if calls are still running. Default: no limit.
   */
  close(limit?: number): Promise<void>;
}

/**
 * Serves a runtime as `inference.GRPCInferenceService`, together with `grpc.health.v1.Health`: with Triton's methods,
 * codes and messages. Web pages cannot call it: browsers speak gRPC only through gRPC-web, which is not served.
 * @throws PipelineError `port/in-use`; `server/unreachable` if the host is not an address of this machine.
 */
export const serveGrpc = async (runtime: Runtime, options: GrpcOptions = {}): Promise<GrpcServer> => {
  const {
    host = "127.0.0.1",
    port = 8001,
    maxMessageBytes = defaultMaxBytes,
    onInternalError = () => {},
    forwardedNames,
    restrictions,
  } = options;
  const extensions = options.extensions ?? createExtensions();
  // Failures to listen are thrown; the library would print them too.
  setLogVerbosity(logVerbosity.NONE);
  /** Each promise ends when the answer is handed to the transport. */
  const running = new Set<Promise<unknown>>();
  const track = <T>(answer: Promise<T>): Promise<T> => {
    const done = answer.catch(() => {}).finally(() => running.delete(done));
    running.add(done);
    return answer;
  };
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": -1,
    // Triton's defaults: a client may ping as often as it likes.
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.http2.max_pings_without_data": 0,
  });
  server.addService(inferenceService(), {
    ...Object.fromEntries(
      [...unaryMethods].map(([name, method]) => [
        name,
        unary(
          (message, from) => {
            extensions.log.verbose(`gRPC request: ${name}`);
            return track(call(() => method(runtime, message as never, from, extensions)));
          },
          { name, trace: extensions.trace, onInternalError, forwardedNames, restrictions },
        ),
      ]),
    ),
    ModelStreamInfer: streamInfer({
      runtime,
      extensions,
      track,
      onInternalError,
      forwardedNames,
      restrictions,
    }),
  });
  server.addService(healthService, healthHandlers(runtime, restrictions));
  const bound = await bind(server, host, port);
  return {
    address: `${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: async (limit) => {
      const closed = new Promise<void>((resolve) => {
        server.tryShutdown(() => resolve());
      });
      const timeUp = new AbortController();
      const ended = async (): Promise<void> => {
        while (running.size > 0) await Promise.all(running);
      };
      await (limit === undefined
        ? ended()
        : Promise.race([
            ended(),
            sleep(limit, undefined, { signal: timeUp.signal, ref: false }).catch(() => {}),
          ]));
      timeUp.abort();
      // Responses in transit get time to arrive, but open client streams do not delay the shutdown.
      await Promise.race([closed, sleep(flushTime)]);
      server.forceShutdown();
      await closed;
      if (options.extensions === undefined) await extensions.close();
    },
  };
};

const defaultMaxBytes = 256 * 2 ** 20;

/** Milliseconds for answers to reach their clients. */
const flushTime = 200;

const call = async (answer: () => object | Promise<object>): Promise<object> => answer();

const inferenceService = (): ServiceDefinition =>
  Object.fromEntries(
    grpcMethodNames().map((name) => {
      const { path, requestStream, responseStream, request, response } = grpcMethod(name);
      return [
        name,
        {
          path,
          requestStream,
          responseStream,
          requestSerialize: (message: object) => bufferOf(request.encode(message)),
          // An inference request may be large: its handler reads it, in slices.
          requestDeserialize: (bytes: Buffer) =>
            name === "ModelInfer" || name === "ModelStreamInfer" ? bytes : readable(request, bytes),
          responseSerialize: (message: object) =>
            bufferOf(message instanceof Uint8Array ? message : response.encode(message)),
          responseDeserialize: response.decode,
        },
      ];
    }),
  );

/** Marks an unreadable message, because the library's error message differs from Triton's. */
const unreadable = Symbol("unreadable");

const readable = ({ decode }: MessageCodec, bytes: Uint8Array): unknown =>
  attempt(() => decode(bytes)) ?? unreadable;

const requireReadable = (message: unknown): void => {
  if (message === unreadable) throw foreignError("request/malformed", "Unable to parse request");
};

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const unary =
  (
    answer: (message: unknown, call: GrpcCall) => Promise<object>,
    { name, trace: traces, onInternalError, forwardedNames, restrictions }: UnaryOptions,
  ): handleUnaryCall<unknown, object> =>
  async (call, reply) => {
    const received = now();
    let trace: ServerTrace | undefined;
    const send = (...given: Parameters<typeof reply>): void => {
      trace?.moment("GRPC_SEND_START");
      reply(...given);
      trace?.moment("GRPC_SEND_END");
      trace?.release();
    };
    try {
      requireReadable(call.request);
      requireGrpcHeader(restrictions, name, call.metadata);
      const message = await answer(call.request, {
        signal: goneOf(call),
        headers: forwardedGrpc(forwardedNames, call.metadata),
        trace: (model) => (trace = sampleGrpc(traces, model, call.metadata, received)),
      });
      send(null, message);
    } catch (error) {
      if (!PipelineError.is(error)) onInternalError(error);
      send(statusOf(error));
    }
  };

interface UnaryOptions {
  /** The method's name. */
  readonly name: string;
  readonly forwardedNames: ForwardedNames;
  readonly restrictions: Restrictions | undefined;
  readonly trace: Trace;
  readonly onInternalError: (error: unknown) => void;
}

const bind = async (server: Server, host: string, port: number): Promise<number> => {
  try {
    return await new Promise((resolve, reject) => {
      const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
      server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
  } catch (cause) {
    const text = textOf(cause);
    if (/EADDRINUSE|EACCES/.test(text))
      throw serverError("port/in-use", { port, host, option: "--grpc-port" }, { cause });
    throw serverError("port/cannot-listen", { host, why: text }, { cause });
  }
};
