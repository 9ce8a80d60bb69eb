import { counted } from "@tritype/core";
import type { Load } from "@tritype/load-test";
import type { BenchCase } from "./bench-result.ts";
import { showCount, showMs, showRate } from "./figures.ts";

/** "4 clients", "50/s" */
export const showLoad = (load: Load): string =>
  load.kind === "open" ? `${load.rate}/s` : counted(load.clients, "client");

/** "HTTP", "gRPC" */
export const showProtocol = (protocol: BenchCase["protocol"]): string =>
  protocol === "http" ? "HTTP" : "gRPC";

/** "HTTP, 4 clients": the label that distinguishes the cases of one run. */
export const caseName = ({ protocol, load }: Pick<BenchCase, "protocol" | "load">): string =>
  `${showProtocol(protocol)}, ${showLoad(load)}`;

/** The same label with non-breaking spaces, so that a table does not separate a number from its unit. */
export const unbroken = (text: string): string => text.replaceAll(" ", "\u00a0");

/** Requests without a successful response. */
export const failed = ({ failures, unfinished }: BenchCase): number =>
  failures.reduce((sum, { count }) => sum + count, unfinished);

/** One case as one line. */
export const caseLine = (measured: BenchCase): string => {
  const { requestsPerSecond, latency, stream } = measured;
  const bad = failed(measured);
  return [
    `${caseName(measured)}: ${showRate(requestsPerSecond)} requests/s`,
    ...(stream?.first === undefined ? [] : [`first response p50 ${showMs(stream.first.p50)}`]),
    ...(latency === undefined ? [] : [`p50 ${showMs(latency.p50)}`, `p99 ${showMs(latency.p99)}`]),
    ...(bad === 0 ? [] : [`${showCount(bad)} failed`]),
  ].join(", ");
};

/** The case with the most requests per second. */
export const busiestOf = (cases: readonly BenchCase[]): BenchCase | undefined =>
  cases.toSorted((a, b) => b.requestsPerSecond - a.requestsPerSecond)[0];
