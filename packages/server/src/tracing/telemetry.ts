import { messageOf } from "@tritype/core";
import { createSpanRecord, type CallerSpan, type EndedSpan } from "./span-record.ts";
import type { SpanSender } from "./span-sender.ts";
import { batchDefaults, type TraceCollector } from "./trace-options.ts";
import type { TraceRecord } from "./trace-record.ts";

/** Sends spans to a collector. */
export interface Telemetry {
  /** A new trace. @param over Called when the trace ends. */
  record(caller: CallerSpan, over: () => void): TraceRecord;
  /** Number of spans that were not sent, because too many were waiting or the collector did not accept them. */
  lost(): number;
  /** Sends what is left, for at most 5 s. */
  close(): Promise<void>;
}

/** Milliseconds. */
const closeLimit = 5000;

/** @param warn Called once if spans are lost, and when the server is closed, with their number. */
export const createTelemetry = (to: TraceCollector, warn: (text: string) => void): Telemetry => {
  const { maxQueueSize: most = batchDefaults.maxQueueSize, url = "http://localhost:4318/v1/traces" } = to;
  let waiting = 0;
  let underway = 0;
  let closed = false;
  let lost = 0;
  let sender: SpanSender | undefined;
  const lose = (count: number, why: string): void => {
    if (lost === 0)
      warn(`traces are lost: ${why} (${url}); requests are not affected, and this is reported once`);
    lost += count;
  };
  const open = async (): Promise<SpanSender> => {
    const { openOtlpSender } = await import("./otlp-sender.ts");
    sender = openOtlpSender(to, {
      taken: (count) => {
        waiting -= count;
        underway += count;
      },
      done: (count, failure) => {
        underway -= count;
        if (failure !== undefined && !closed) lose(count, failure);
      },
    });
    return sender;
  };
  const loading = open().catch((error: unknown) => {
    lose(0, `OpenTelemetry's exporter cannot be loaded: ${messageOf(error)}`);
    return undefined;
  });
  const take = (span: EndedSpan): void => {
    if (waiting >= most) {
      lose(1, `more than ${most} spans are waiting for the collector`);
      return;
    }
    waiting++;
    if (sender === undefined) void loading.then((opened) => opened?.send(span));
    else sender.send(span);
  };
  return {
    record: (caller, over) => createSpanRecord(caller, take, over),
    lost: () => lost,
    close: async () => {
      const timeUp = new Promise<void>((resolve) => {
        setTimeout(resolve, closeLimit).unref();
      });
      await Promise.race([loading.then((opened) => opened?.close()), timeUp]);
      closed = true;
      const left = waiting + underway;
      if (left > 0) lose(left, "the server was closed before the collector accepted them");
      if (lost > 0) warn(`${lost} spans were lost`);
    },
  };
};
