import { type HttpServer, type MetricsOptions, serveHttp, serveMetrics } from "@tritype/server";
import { onTestFinished } from "vitest";
import type { Files } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { type JudgeOptions, judgeFiles } from "./judge.ts";

export interface ServedBoth {
  readonly url: string;
  readonly metrics: string;
}

/** Starts the real Triton, and the local runtime behind our server. Both stop when the test ends. */
export const serveBoth = async (
  files: Files,
  options: JudgeOptions = {},
  shown: Partial<MetricsOptions> = {},
): Promise<readonly [triton: ServedBoth, local: ServedBoth]> => {
  const judged = await judgeFiles(files, options);
  const opened: HttpServer[] = [];
  onTestFinished(async () => {
    await Promise.all(opened.map((server) => server.close()));
    await judged.stop();
  });
  const http = await serveHttp(judged.local, { port: 0 });
  opened.push(http);
  const metrics = await serveMetrics(judged.local, { port: 0, ...shown });
  opened.push(metrics);
  return [
    { url: judged.triton.httpUrl, metrics: judged.triton.metricsUrl },
    { url: http.url, metrics: `${metrics.url}/metrics` },
  ];
};
