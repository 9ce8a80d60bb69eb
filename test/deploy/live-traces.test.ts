import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { openOtlpSink } from "../triton/traces/otlp-sink.ts";
import { deployedProject } from "./deployed-project.ts";
import { askTotal, serveBuild } from "./serve-build.ts";
import { image, renderChart, serverArguments } from "./tools.ts";

test("a real Triton with the chart's arguments says which build it runs, and sends a span for each step to the collector, with the headers from its environment", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20hidden");
  const made = await deployedProject();
  const sink = await openOtlpSink();
  onTestFinished(() => sink.close());
  const [answer] = await renderChart(made.path("deploy/chart"), [
    {
      image,
      tracing: { url: sink.url, rate: 1, service: "embed" },
      networkPolicy: { egress: [{}] },
    },
  ]);
  const [repository, ...args] = serverArguments(answer);
  expect(repository).toBe("--model-repository=/models");
  const server = await serveBuild(made, args);
  expect(await askTotal(server, [1, 2, 3, 4])).toMatchObject({ outputs: [{ name: "sum", data: [20] }] });

  const named = (name: string) => sink.spans().find((span) => span.name === name);
  await expect.poll(() => named("total"), { timeout: 20_000 }).toBeDefined();
  expect(sink.headers()).toMatchObject({ authorization: expect.stringContaining("hidden") });
  const [whole, member] = [named("total"), named("double")];
  expect(member?.traceId).toBe(whole?.traceId);
  expect(member?.parentSpanId).toBe(whole?.spanId);
  const models = sink.spans().filter(({ parentSpanId }) => parentSpanId === whole?.spanId);
  expect(models.length).toBeGreaterThan(1);
  const manifest = createHash("sha256").update(readFileSync(made.path("build/manifest.json")));
  const build = manifest.digest("hex").slice(0, 12);
  expect(sink.exports[0]?.resourceSpans[0]?.resource.attributes).toEqual(
    expect.arrayContaining([
      { key: "service.name", value: { stringValue: "embed" } },
      { key: "service.version", value: { stringValue: build } },
    ]),
  );
  const metadata = await (await fetch(`${server.httpUrl}/v2`)).json();
  expect(metadata).toMatchObject({ name: `ids-and-2-more-${build}` });
}, 300_000);
