import type { Runtime } from "@tritype/runtime";
import { errorAnswer, plainly } from "./answer.ts";
import type { AllowedCallers } from "./caller-check.ts";
import { watchMachine } from "./machine-use.ts";
import { printMetrics } from "./print-metrics.ts";
import { type HttpServer, serveAnswers } from "./serve-answers.ts";

export interface MetricsOptions extends AllowedCallers {
  /** Default 127.0.0.1: this machine only. */
  readonly host?: string;
  /** Default 8002, as in Triton; 0 takes any free port. */
  readonly port?: number;
  /** As for `printMetrics`. Default true. */
  readonly counters?: boolean | undefined;
  /** Milliseconds between two measurements of the machine; undefined to leave it out. Default 2000, as in Triton. */
  readonly machineInterval?: number | undefined;
}

/**
 * `GET /metrics` of a runtime, for Prometheus.
 * @throws PipelineError `port/in-use`; `server/unreachable` if the host is not an address of this machine.
 */
export const serveMetrics = async (runtime: Runtime, options: MetricsOptions = {}): Promise<HttpServer> => {
  const { host = "127.0.0.1", port = 8002, counters, ...callers } = options;
  const interval = "machineInterval" in options ? options.machineInterval : 2000;
  const watch = interval === undefined ? undefined : watchMachine(interval);
  const server = await serveAnswers(
    ({ url = "", method }) => {
      if (method !== "GET") return plainly(errorAnswer(405, "Method Not Allowed"));
      // Triton 24.10 answers every other path with an empty text.
      const isMetrics = /^\/metrics\/?(?:\?|$)/.test(url);
      return {
        status: 200,
        headers: { "Content-Type": "text/plain; charset=utf-8" },
        body: isMetrics ? printMetrics(runtime, { counters, machine: watch?.use() }) : "",
      };
    },
    { ...callers, host, port, portOption: "--metrics-port" },
  ).catch((error: unknown) => {
    watch?.close();
    throw error;
  });
  const close = async (limit?: number): Promise<void> => {
    watch?.close();
    await server.close(limit);
  };
  return { ...server, close };
};
