import { createTraceState, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from "@opentelemetry/sdk-trace";
import type { EndedSpan, SpanIds } from "./span-record.ts";
import type { SpanSender, SpanSenderEvents } from "./span-sender.ts";
import { batchDefaults, type TraceCollector } from "./trace-options.ts";

/** Sends spans over OTLP/HTTP as protobuf, in batches, with OpenTelemetry's exporter. */
export const openOtlpSender = (
  to: TraceCollector,
  { taken, done: finished }: SpanSenderEvents,
): SpanSender => {
  const exporter = new OTLPTraceExporter(to.url === undefined ? {} : { url: to.url });
  const watched: SpanExporter = {
    export: (spans, done) => {
      taken(spans.length);
      exporter.export(spans, (result) => {
        const { code, error }: { readonly code: number; readonly error?: Error } = result;
        finished(spans.length, code === 0 ? undefined : (error?.message ?? "the export failed"));
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const processor = new BatchSpanProcessor({
    exporter: watched,
    maxQueueSize: to.maxQueueSize ?? batchDefaults.maxQueueSize,
    scheduledDelayMillis: to.scheduleDelay ?? batchDefaults.scheduleDelay,
    maxExportBatchSize: to.maxExportBatchSize ?? batchDefaults.maxExportBatchSize,
  });
  const resource = defaultResource().merge(
    resourceFromAttributes({
      "service.name": "triton-inference-server",
      ...Object.fromEntries(to.resource ?? []),
    }),
  );
  return {
    send: (span) => processor.onEnd(readable(span, resource)),
    close: () => processor.shutdown().catch(() => {}),
  };
};

/** A single object, because spans are grouped by identity. */
const scope = { name: "triton-server" };

const readable = (span: EndedSpan, resource: ReadableSpan["resource"]): ReadableSpan => {
  const { name, ids, parent, start, end, attributes, events } = span;
  const context = contextOf(ids);
  return {
    name,
    kind: SpanKind.SERVER,
    spanContext: () => context,
    ...(parent === undefined
      ? {}
      : { parentSpanContext: { ...context, spanId: parent.span, isRemote: parent.remote } }),
    startTime: start,
    endTime: end,
    duration: [0, 0],
    status: { code: SpanStatusCode.UNSET },
    attributes,
    links: [],
    events: [...events],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
};

const contextOf = ({ trace, span, state }: SpanIds): SpanContext => ({
  traceId: trace,
  spanId: span,
  traceFlags: TraceFlags.SAMPLED,
  ...(state === undefined ? {} : { traceState: createTraceState(state) }),
});
