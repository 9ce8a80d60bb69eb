import type { NamedTensors } from "@tritype/core";
import { openRemote, openStreaming, type RemoteEndpoint } from "@tritype/endpoint";
import { inspectorError, type StepwiseServer } from "@tritype/inspector";
import type { MemberCall } from "@tritype/project";
import type { Given } from "../command.ts";
import { givenHeaders, refuseUnencrypted } from "../given-headers.ts";
import { grpcAddress, serverUrl } from "../server-url.ts";
import type { Terminal } from "../terminal.ts";
import { recordMembers } from "../verify/record-steps.ts";

/** The server of `--compare-url`. */
export const openCompared = async (given: Given, terminal: Terminal): Promise<ComparedServer> => {
  const url = baseUrl(given.text("compare-url") ?? "", "compare-url");
  const headers = givenHeaders(given, terminal, "compare-header");
  const grpc = grpcAddress(given, "compare-grpc-url");
  const help = "leave out --compare-grpc-url, or use an http:// address";
  refuseUnencrypted(headers, url, grpc, help, "compare-header");
  const streaming = grpc === undefined ? undefined : await openStreaming(grpc, { headers });
  const endpoint = await openRemote(url, { http: url }, { headers });
  return {
    ...stepwise(url, endpoint, streaming, "--compare-grpc-url"),
    close: async () => streaming?.close(),
  };
};

export interface ComparedServer extends StepwiseServer {
  close(): Promise<void>;
}

/** A server's address without the slash at its end. @throws PipelineError `usage/invalid` */
export const baseUrl = (text: string, option: string): string =>
  serverUrl(text, option).href.replace(/\/+$/, "");

/** @param grpcOption The option that sets the server's gRPC address. */
export const stepwise = (
  url: string,
  endpoint: RemoteEndpoint,
  streaming: Awaited<ReturnType<typeof openStreaming>> | undefined,
  grpcOption: string,
): StepwiseServer => ({
  url,
  record: ({ model, inputs, parameters }, signal) => {
    const server = {
      config: endpoint.config,
      async *answers({ version, ...call }: MemberCall, isDecoupled: boolean): AsyncGenerator<NamedTensors> {
        const asked = {
          ...call,
          ...(version === undefined ? {} : { version }),
          ...(parameters && { parameters }),
        };
        if (!isDecoupled) yield await endpoint.client.infer(asked, signal);
        else if (streaming !== undefined) yield* streaming.stream(asked, signal);
        else throw inspectorError("inspect/only-grpc", { model: call.model, option: grpcOption });
      },
    };
    return recordMembers(server, { model, inputs }, {}, signal);
  },
});
