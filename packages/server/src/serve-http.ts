import { defaultMaxInputBytes } from "@tritype/protocol";
import type { Runtime } from "@tritype/runtime";
import type { AllowedCallers } from "./caller-check.ts";
import { createExtensions, type Extensions } from "./extensions.ts";
import type { ForwardedNames } from "./forwarded-headers.ts";
import type { Restrictions } from "./restrictions.ts";
import type { HttpApi } from "./http-api.ts";
import { route } from "./routes.ts";
import { type AnswerCaller, type HttpServer, serveAnswers } from "./serve-answers.ts";

export interface HttpOptions extends AllowedCallers {
  /** Default 127.0.0.1: this machine only. */
  readonly host?: string;
  /** Default 8000, as in Triton; 0 takes any free port. */
  readonly port?: number;
  /** Maximum size of a request body in bytes, compressed or not. Default 64 MiB. */
  readonly maxBodyBytes?: number;
  /** The headers that models get as parameters of inference requests: a pattern that matches any part of the names. Default: none. */
  readonly forwardedNames?: ForwardedNames;
  /** The header that requests need, for each restricted part of the API. Default: none. */
  readonly restrictions?: Restrictions | undefined;
  /** Shared with the gRPC server of the same runtime, and closed by the caller. Default: the server has its own. */
  readonly extensions?: Extensions;
  /** Other APIs on the same port. Default: none. */
  readonly apis?: readonly HttpApi[];
  /** Called for a failure that is not the client's fault, in addition to the 500 that the client gets. */
  readonly onInternalError?: (error: unknown) => void;
}

/**
 * Serves a runtime over KServe v2 HTTP with Triton's routes, statuses and messages. Every request gets an answer, even
 * an invalid one.
 * @throws PipelineError `port/in-use`; `server/unreachable` if the host is not an address of this machine.
 */
export const serveHttp = async (runtime: Runtime, options: HttpOptions = {}): Promise<HttpServer> => {
  const {
    host = "127.0.0.1",
    port = 8000,
    apis = [],
    maxBodyBytes = defaultMaxInputBytes,
    onInternalError,
    forwardedNames,
    restrictions,
  } = options;
  const extensions = options.extensions ?? createExtensions();
  // Members by name: V8 takes ten times as long to copy an object of many members and add others.
  const answer: AnswerCaller = (request, signal) =>
    route({
      runtime,
      extensions,
      apis,
      maxBodyBytes,
      onInternalError,
      forwardedNames,
      restrictions,
      request,
      signal,
    });
  const server = await serveAnswers(answer, { ...options, host, port, portOption: "--http-port" });
  const close = async (limit?: number): Promise<void> => {
    await server.close(limit);
    if (options.extensions === undefined) await extensions.close();
  };
  return { ...server, close };
};
