import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";
import { listen } from "../../fixtures/listen.ts";

export interface SunkSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState?: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly Attribute[];
  readonly events?: readonly { readonly timeUnixNano: string; readonly name: string }[];
  readonly status?: object;
}
export interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}
export interface SunkExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly SunkSpan[];
    }[];
  }[];
}

/** A collector that stores the spans that it receives, in protobuf or JSON. */
export interface OtlpSink {
  readonly url: string;
  readonly exports: SunkExport[];
  readonly contentTypes: Set<string>;
  /** Headers of the latest request. */
  headers(): IncomingHttpHeaders;
  spans(): readonly SunkSpan[];
  close(): Promise<void>;
}

export const openOtlpSink = async (): Promise<OtlpSink> => {
  const exports: SunkExport[] = [];
  const contentTypes = new Set<string>();
  let headers: IncomingHttpHeaders = {};
  const server = createServer(async (request, response) => {
    headers = request.headers;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
    const type = request.headers["content-type"] ?? "";
    contentTypes.add(type);
    exports.push(type.includes("json") ? (JSON.parse(body.toString()) as SunkExport) : decode(body));
    response.writeHead(200, { "Content-Type": type }).end();
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}/v1/traces`,
    exports,
    contentTypes,
    headers: () => headers,
    spans: () =>
      exports.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const decode = (bytes: Uint8Array): SunkExport => {
  const type = messages.lookupType("Export");
  const read = type.toObject(type.decode(bytes), { longs: String, bytes: String }) as SunkExport;
  const hex = (id = ""): string => Buffer.from(id, "base64").toString("hex");
  const readable = ({ traceId, spanId, parentSpanId, ...rest }: SunkSpan): SunkSpan => ({
    ...rest,
    traceId: hex(traceId),
    spanId: hex(spanId),
    ...(parentSpanId === undefined ? {} : { parentSpanId: hex(parentSpanId) }),
  });
  return {
    resourceSpans: read.resourceSpans.map(({ resource, scopeSpans }) => ({
      resource,
      scopeSpans: scopeSpans.map(({ scope, spans }) => ({ scope, spans: spans.map(readable) })),
    })),
  };
};

const field = (id: number, type: string, rule?: "repeated"): protobuf.IField => ({
  id,
  type,
  ...(rule === undefined ? {} : { rule }),
});

/** The fields of opentelemetry.proto.collector.trace.v1 that servers' spans use. */
const messages = protobuf.Root.fromJSON({
  nested: {
    Export: { fields: { resourceSpans: field(1, "ResourceSpans", "repeated") } },
    ResourceSpans: {
      fields: { resource: field(1, "Resource"), scopeSpans: field(2, "ScopeSpans", "repeated") },
    },
    Resource: { fields: { attributes: field(1, "Attribute", "repeated") } },
    ScopeSpans: { fields: { scope: field(1, "Scope"), spans: field(2, "Span", "repeated") } },
    Scope: { fields: { name: field(1, "string") } },
    Span: {
      fields: {
        traceId: field(1, "bytes"),
        spanId: field(2, "bytes"),
        traceState: field(3, "string"),
        parentSpanId: field(4, "bytes"),
        name: field(5, "string"),
        kind: field(6, "int32"),
        startTimeUnixNano: field(7, "fixed64"),
        endTimeUnixNano: field(8, "fixed64"),
        attributes: field(9, "Attribute", "repeated"),
        events: field(11, "Event", "repeated"),
        status: field(15, "Status"),
      },
    },
    Event: { fields: { timeUnixNano: field(1, "fixed64"), name: field(2, "string") } },
    Status: { fields: { message: field(2, "string"), code: field(3, "int32") } },
    Attribute: { fields: { key: field(1, "string"), value: field(2, "Value") } },
    Value: {
      oneofs: { value: { oneof: ["stringValue", "intValue"] } },
      fields: { stringValue: field(1, "string"), intValue: field(3, "int64") },
    },
  },
});
