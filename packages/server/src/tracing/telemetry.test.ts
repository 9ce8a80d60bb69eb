import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { now } from "./moments.ts";
import { createTelemetry, type Telemetry } from "./telemetry.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A collector that answers with this status; without a status, it keeps every export waiting. */
const collector = async (status?: number): Promise<{ readonly url: string; readonly sizes: number[] }> => {
  const sizes: number[] = [];
  const server = createServer((request, response) => {
    let size = 0;
    request.on("data", (chunk: Buffer) => (size += chunk.byteLength));
    request.on("end", () => {
      sizes.push(size);
      if (status !== undefined) response.writeHead(status).end();
    });
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, sizes };
};

/** Traces with two spans each. */
const traceMany = (telemetry: Telemetry, count: number): void => {
  for (let i = 0; i < count; i++) {
    const record = telemetry.record({}, () => {});
    record.request(1, 0, { model: "m", version: "1", id: "", inputs: new Map() });
    record.activity(1, "REQUEST_START", now());
    record.activity(1, "REQUEST_END", now());
    record.end();
  }
};

test("waiting spans are sent when the server is closed", async () => {
  const { url, sizes } = await collector(200);
  const warnings: string[] = [];
  const options = { kind: "collector", url, scheduleDelay: 1000 } as const;
  const telemetry = createTelemetry(options, (text) => void warnings.push(text));
  traceMany(telemetry, 1);
  // By then, the exporter is loaded.
  await expect.poll(() => sizes.length, { timeout: 30_000 }).toBe(1);
  traceMany(telemetry, 200);
  await telemetry.close();
  expect(sizes).toHaveLength(2);
  expect(telemetry.lost()).toBe(0);
  expect(warnings).toEqual([]);
}, 40_000);

test("if a collector does not answer, a bounded number of spans is kept and one line is logged", async () => {
  const { url, sizes } = await collector();
  const warnings: string[] = [];
  const options = {
    kind: "collector",
    url,
    maxQueueSize: 100,
    maxExportBatchSize: 50,
    scheduleDelay: 1,
  } as const;
  const telemetry = createTelemetry(options, (text) => void warnings.push(text));
  for (let i = 0; i < 200; i++) {
    traceMany(telemetry, 5);
    if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await expect.poll(() => sizes.length).toBeGreaterThan(0);
  expect(warnings).toEqual([
    `traces are lost: more than 100 spans are waiting for the collector (${url}); requests are not affected, and this is reported once`,
  ]);
  // Of the 2,000 spans, one export and the queue may still be in flight.
  expect(telemetry.lost()).toBeGreaterThanOrEqual(2000 - 100 - 2 * 50);
  expect(telemetry.lost()).toBeLessThan(2000);
});

test("lost spans are reported if a collector refuses them or is unreachable", async () => {
  const refusing = await collector(400);
  for (const url of [refusing.url, "http://127.0.0.1:1/v1/traces"]) {
    const warnings: string[] = [];
    const telemetry = createTelemetry({ kind: "collector", url }, (text) => void warnings.push(text));
    traceMany(telemetry, 3);
    await telemetry.close();
    expect(telemetry.lost()).toBe(6);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain(`traces are lost: `);
    expect(warnings[1]).toBe("6 spans were lost");
  }
}, 30_000);
