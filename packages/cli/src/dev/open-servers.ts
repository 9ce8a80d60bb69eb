import { PipelineError } from "@tritype/core";
import type { Runtime } from "@tritype/runtime";
import {
  type AllowedCallers,
  createExtensions,
  type ForwardedNames,
  type HttpApi,
  type MetricsOptions,
  type Restrictions,
  serveGrpc,
  serveHttp,
  serveMetrics,
  type TraceOptions,
} from "@tritype/server";
import type { Terminal } from "../terminal.ts";

export interface ServerOptions {
  readonly host: string | undefined;
  /** If undefined, 8000 for HTTP and the following ports for the others, as in Triton. 0 selects any free port. */
  readonly ports: Readonly<Record<"http" | "grpc" | "metrics", number | undefined>>;
  /** Maximum size of an HTTP body and of a gRPC message. */
  readonly limits: Readonly<Record<"http" | "grpc", number | undefined>>;
  readonly callers: AllowedCallers;
  /** Headers that are passed to models as parameters, and headers that parts of the API require. */
  readonly headers: Readonly<
    Record<
      "http" | "grpc",
      { readonly forwardedNames: ForwardedNames; readonly restrictions: Restrictions | undefined }
    >
  >;
  readonly metrics: Pick<MetricsOptions, "counters" | "machineInterval">;
  /** Other APIs on the HTTP port. */
  readonly apis: readonly HttpApi[];
  /** Triton's verbose level: above 0, each request is printed. */
  readonly logVerbose: number;
  readonly trace: TraceOptions | undefined;
}

/** The addresses of a runtime. */
export interface OpenServers {
  /** The HTTP address. */
  readonly url: string;
  /** The gRPC address, if that server could listen. */
  readonly grpc: string | undefined;
  /** `gRPC at …`, `metrics at …`; leaves out servers that could not listen. */
  readonly others: readonly string[];
  /** @param limit Milliseconds that running requests get to finish. */
  close(limit: number): Promise<void>;
}

interface OpenServer {
  readonly place: string;
  close(limit: number): Promise<void>;
}

/**
 * HTTP, gRPC and metrics. It is an error if the HTTP server cannot listen. If the default port of one of the other servers is already in
 * use, that server is not started and a note is printed, unless its port was set explicitly.
 * @throws PipelineError `port/in-use`, `server/unreachable`
 */
export const openServers = async (
  runtime: Runtime,
  { host, ports, limits, callers, headers, metrics, apis, logVerbose, trace }: ServerOptions,
  { note, colors }: Terminal,
): Promise<OpenServers> => {
  const at = (port: number | undefined) => ({
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
  });
  const extensions = createExtensions({ print: note, verboseLevel: logVerbose, trace });
  const onInternalError = (error: unknown): void =>
    extensions.log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const http = await serveHttp(runtime, {
    extensions,
    onInternalError,
    ...headers.http,
    apis,
    ...at(ports.http),
    ...callers,
    ...(limits.http === undefined ? {} : { maxBodyBytes: limits.http }),
  });
  const opened: OpenServer[] = [{ place: http.url, close: (limit) => http.close(limit) }];
  const close = async (limit: number): Promise<void> => {
    await Promise.all(opened.map((server) => server.close(limit)));
    await extensions.close();
  };
  const others: string[] = [];
  const optional = async (
    name: string,
    asked: number | undefined,
    open: () => Promise<OpenServer>,
  ): Promise<void> => {
    try {
      const server = await open();
      opened.push(server);
      others.push(`${name} at ${server.place}`);
    } catch (error) {
      if (asked !== undefined || !PipelineError.is(error) || error.code !== "port/in-use") {
        await close(0);
        throw error;
      }
      note(`${colors.dim("note")} no ${name}: ${error.message}; ${error.help ?? ""}`);
    }
  };
  const after = (steps: number): number => {
    const next = (ports.http ?? 8000) + steps;
    return ports.http === 0 || next > 65_535 ? 0 : next;
  };
  let grpc: string | undefined;
  await optional("gRPC", ports.grpc, async () => {
    const server = await serveGrpc(runtime, {
      extensions,
      onInternalError,
      ...headers.grpc,
      ...at(ports.grpc ?? after(1)),
      ...(limits.grpc === undefined ? {} : { maxMessageBytes: limits.grpc }),
    });
    grpc = server.address;
    return { place: grpc, close: (limit) => server.close(limit) };
  });
  await optional("metrics", ports.metrics, async () => {
    const server = await serveMetrics(runtime, { ...metrics, ...at(ports.metrics ?? after(2)), ...callers });
    return { place: `${server.url}/metrics`, close: (limit) => server.close(limit) };
  });
  return { url: http.url, grpc, others, close };
};
