import { randomBytes } from "node:crypto";
import type { TracedRequest } from "@tritype/runtime";
import { epochTime, now } from "./moments.ts";
import type { TraceRecord } from "./trace-record.ts";

/** Headers of W3C Trace Context. */
export interface CallerSpan {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

export interface SpanIds {
  /** 32 hexadecimal digits. */
  readonly trace: string;
  /** 16 hexadecimal digits. */
  readonly span: string;
  /** `tracestate` of the caller. */
  readonly state: string | undefined;
}

/** A span that has ended. Times in seconds and nanoseconds since 1970. */
export interface EndedSpan {
  readonly name: string;
  readonly ids: SpanIds;
  /** undefined if the request was not called by another span. */
  readonly parent: { readonly span: string; readonly remote: boolean } | undefined;
  readonly start: [number, number];
  readonly end: [number, number];
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly events: readonly { readonly name: string; readonly time: [number, number] }[];
}

interface OpenSpan extends Omit<EndedSpan, "end"> {
  readonly events: { readonly name: string; readonly time: [number, number] }[];
}

/**
 * A record as spans: `InferRequest` with the server's activities; inside it, for each request, a span with the model's
 * name, which contains `compute`. @param take Called with each span when it ends. @param over Called at the end.
 */
export const createSpanRecord = (
  caller: CallerSpan,
  take: (span: EndedSpan) => void,
  over: () => void,
): TraceRecord => {
  const from = readTraceparent(caller.traceparent);
  const trace = from?.trace ?? randomBytes(16).toString("hex");
  const state = from === undefined ? undefined : caller.tracestate;
  const requests = new Map<number, OpenSpan>();
  const computations = new Map<number, OpenSpan>();
  const ended = new Set<number>();

  const begin = (
    name: string,
    parent: EndedSpan["parent"],
    at: number,
    attributes: EndedSpan["attributes"] = {},
  ): OpenSpan => ({
    name,
    ids: { trace, span: randomBytes(8).toString("hex"), state },
    parent,
    start: epochTime(at),
    attributes,
    events: [],
  });
  const within = (span: OpenSpan): EndedSpan["parent"] => ({ span: span.ids.span, remote: false });
  const end = (span: OpenSpan, at: number): void => take({ ...span, end: epochTime(at) });
  const root = begin("InferRequest", from && { span: from.span, remote: true }, now());

  return {
    contextOf: (id) => {
      const span = requests.get(id);
      return span === undefined ? undefined : contextOf(span.ids);
    },
    request: (id, parent, request) => {
      const above = requests.get(parent) ?? root;
      requests.set(id, begin(request.model, within(above), now(), attributesOf(id, parent, request)));
    },
    activity: (id, name, at) => {
      const request = requests.get(id);
      if (request !== undefined && name === "COMPUTE_START")
        computations.set(id, begin("compute", within(request), at));
      const ofRequest = name.startsWith("REQUEST_") || name.startsWith("QUEUE_");
      const spans = ofRequest ? requests : name.startsWith("COMPUTE_") ? computations : undefined;
      const span = spans === undefined ? root : spans.get(id);
      span?.events.push({ name, time: epochTime(at) });
      if (span === undefined || (name !== "REQUEST_END" && name !== "COMPUTE_END")) return;
      end(span, at);
      // A request's span remains known, because its model may still call others.
      if (spans === computations) computations.delete(id);
      else ended.add(id);
    },
    tensor: () => {},
    end: () => {
      for (const [id, span] of requests) if (!ended.has(id)) end(span, now());
      end(root, now());
      over();
    },
  };
};

const attributesOf = (
  id: number,
  parent: number,
  { model, version, id: requestId }: TracedRequest,
): EndedSpan["attributes"] => ({
  "triton.model_name": model,
  "triton.model_version": Number(version),
  "triton.trace_id": id,
  "triton.trace_parent_id": parent,
  ...(requestId === "" ? {} : { "triton.request_id": requestId }),
});

const contextOf = ({ trace, span, state }: SpanIds): string =>
  JSON.stringify({
    traceparent: `00-${trace}-${span}-01`,
    ...(state === undefined ? {} : { tracestate: state }),
  });

const readTraceparent = (text = ""): { readonly trace: string; readonly span: string } | undefined => {
  const [, version, trace = "", span = "", rest] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(text) ?? [];
  const known = version !== undefined && version !== "ff" && (version !== "00" || rest === undefined);
  return known && /[^0]/.test(trace) && /[^0]/.test(span) ? { trace, span } : undefined;
};
