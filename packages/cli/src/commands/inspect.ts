import { inBackticks, PipelineError } from "@tritype/core";
import { openRemote, openStreaming, type RemoteEndpoint } from "@tritype/endpoint";
import { createInspector, inspectServer } from "@tritype/inspector";
import { serveApis } from "@tritype/server";
import { closeAll } from "../close-all.ts";
import { type ExitCode, type Given, usage } from "../command.ts";
import { allowedCallersOf } from "../dev/allowed-callers.ts";
import { cliError } from "../errors.ts";
import { givenHeaders, refuseUnencrypted } from "../given-headers.ts";
import { comparedServer } from "../inspector/page-options.ts";
import { baseUrl, stepwise } from "../inspector/stepwise-server.ts";
import { kserveMetadata } from "../kserve-server.ts";
import { grpcAddress, serverUrl } from "../server-url.ts";
import type { Terminal } from "../terminal.ts";
import { unknownName } from "../unknown-name.ts";

/** Follows the ports of a Triton on the same machine. */
const defaultPort = 8010;
/** Time limit for everything except requests to models. */
const timeoutMs = 10_000;

/** `pipeline inspect --url <url>`: the inspector's page for a running server, until Ctrl-C. */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const asked = given.text("url");
  if (asked === undefined)
    throw usage("`pipeline inspect` needs a server", "pass its HTTP address: --url http://localhost:8000");
  const url = baseUrl(asked, "url");
  const headers = givenHeaders(given, terminal);
  const grpc = grpcAddress(given, "grpc-url");
  refuseUnencrypted(headers, url, grpc, "leave out --grpc-url, or use an http:// address");
  const metricsAt = given.text("metrics-url");
  const metrics = metricsAt === undefined ? undefined : metricsUrl(metricsAt);
  const callers = allowedCallersOf(given);
  const port = given.integer("port", [0, 65_535]) ?? defaultPort;
  const resources: (() => Promise<void>)[] = [];
  try {
    const other = await comparedServer(given, terminal);
    resources.push(async () => other?.close());
    const { client } = await openRemote("the server", { http: url }, { timeoutMs, headers });
    const metadata = await kserveMetadata(client, url);
    await refuseUnknown(client, given.texts("model"));
    const binary = metadata.extensions.includes("binary_tensor_data");
    // Without a time limit, because a model may take arbitrarily long.
    const requests = await openRemote("the server", { http: url }, { binary, headers });
    const streaming = grpc === undefined ? undefined : await openStreaming(grpc, { headers });
    if (streaming !== undefined) resources.push(() => streaming.close());
    const readMetrics = metrics === undefined ? undefined : () => textAt(metrics);
    await readMetrics?.();
    const server = await inspectServer({
      url,
      server: metadata,
      client: { ...client, infer: requests.client.infer },
      streaming,
      metrics: readMetrics,
      models: given.texts("model"),
      headers: Object.keys(headers ?? {}),
      bySteps: stepwise(url, requests, streaming, "--grpc-url"),
    });
    const inspector = createInspector(server, { other, grpcAddress: () => grpc });
    const page = await serveApis({
      apis: [inspector.api],
      stream: server.stream,
      host: given.text("host") ?? "127.0.0.1",
      port,
      portOption: "--port",
      onInternalError: (error) => terminal.note(String(error)),
      ...callers,
    });
    resources.push(() => page.close(0));
    const stopped = terminal.untilStopped();
    terminal.note(`${terminal.colors.green("inspecting")} ${url} at ${page.url}${inspector.api.path}`);
    terminal.note(terminal.colors.dim("stop with Ctrl-C"));
    await stopped;
  } finally {
    await closeAll(resources);
  }
  return 0;
};

/** @throws PipelineError `usage/invalid` for a model that a server neither lists nor describes, if the server lists its models */
const refuseUnknown = async (client: RemoteEndpoint["client"], models: readonly string[]): Promise<void> => {
  const index = models.length === 0 ? [] : await client.repositoryIndex().catch(() => []);
  const known = [...new Set(index.map(({ name }) => name))];
  if (known.length === 0) return;
  for (const model of models.filter((name) => !known.includes(name)))
    await client.modelMetadata(model).catch((error: unknown) => {
      if (!PipelineError.is(error) || error.code !== "model/not-found") return;
      throw unknownName("model", model, known, `the server has ${inBackticks(known.slice(0, mostListed))}`);
    });
};

const mostListed = 20;

/** The metrics' path may be omitted. */
const metricsUrl = (text: string): URL => {
  const url = serverUrl(text, "metrics-url");
  if (url.pathname === "/") url.pathname = "/metrics";
  return url;
};

const textAt = async (url: URL): Promise<string> => {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return await response.text();
  } catch (cause) {
    const { message, cause: reason } = cause as Error;
    const why = reason instanceof Error ? reason.message : message;
    throw cliError("inspect/no-metrics", { url: url.href, why }, { cause });
  }
};
