import { openRemote, type RemoteEndpoint } from "@tritype/endpoint";
import type { StepwiseServer } from "@tritype/inspector";
import type { Given } from "../command.ts";
import { givenHeaders } from "../given-headers.ts";
import { serverUrl } from "../server-url.ts";
import type { Terminal } from "../terminal.ts";
import { recordMembers } from "../verify/record-steps.ts";

/** The server of `--compare-url`. */
export const openCompared = async (given: Given, terminal: Terminal): Promise<StepwiseServer> => {
  const url = baseUrl(given.text("compare-url") ?? "", "compare-url");
  const headers = givenHeaders(given, terminal, "compare-header");
  return stepwise(url, await openRemote(url, { http: url }, { headers }));
};

/** A server's address without the slash at its end. @throws PipelineError `usage/invalid` */
export const baseUrl = (text: string, option: string): string =>
  serverUrl(text, option).href.replace(/\/+$/, "");

export const stepwise = (url: string, endpoint: RemoteEndpoint): StepwiseServer => ({
  url,
  record: ({ model, inputs }, signal) => recordMembers(endpoint, model, inputs, signal),
});
