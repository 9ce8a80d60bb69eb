import { PipelineError } from "@tritype/core";
import { type Answer, failureAnswer, type StreamedAnswer } from "../answer.ts";
import type { RouteContext } from "../route-context.ts";
import { now } from "./moments.ts";
import type { ServerTrace } from "./open-trace.ts";

/**
 * The trace of an HTTP request whose body has been received, if it should be traced.
 * @param from When the request began to arrive, in microseconds of the runtime's clock.
 */
export const sampleHttp = (
  { extensions, request }: RouteContext,
  model: string,
  from: number,
): ServerTrace | undefined => {
  const header = (name: string): string | undefined => request.headers[name]?.toString();
  const trace = extensions.trace.sample(model, "http", () => ({
    traceparent: header("traceparent"),
    tracestate: header("tracestate"),
  }));
  if (trace === undefined) return undefined;
  trace.moment("HTTP_RECV_START", from);
  trace.moment("HTTP_RECV_END", now());
  return trace;
};

/**
 * An answer that ends the trace once it has been sent. A failure of the model becomes an answer too, because its sending is
 * traced; any other failure ends the trace immediately.
 */
export const tracedAnswer = (
  context: RouteContext,
  trace: ServerTrace | undefined,
  make: () => Promise<Answer>,
): Promise<Answer> => (trace === undefined ? make() : answerTraced(context, trace, make));

const answerTraced = async (
  { onInternalError }: RouteContext,
  trace: ServerTrace,
  make: () => Promise<Answer>,
): Promise<Answer> => {
  try {
    return { ...(await make()), ...sending(trace) };
  } catch (error) {
    if (!trace.answered) {
      trace.release();
      throw error;
    }
    if (!PipelineError.is(error)) onInternalError?.(error);
    return { ...failureAnswer(error), ...sending(trace) };
  }
};

/**
 * An answer, whole or in pieces, whose failures are answers too.
 * @param traceOf The trace; an answer in pieces may call its model, and so begin the trace, only when its first piece is read.
 */
export const traced = (
  answer: Answer | StreamedAnswer,
  traceOf: () => ServerTrace | undefined,
): Answer | StreamedAnswer => {
  if ("pieces" in answer) return tracedPieces(answer, traceOf);
  const trace = traceOf();
  if (trace?.answered === true) return { ...answer, ...sending(trace) };
  trace?.release();
  return answer;
};

/** Traces each piece of an answer, and ends the trace after the last one. */
export const tracedPieces = (
  answer: StreamedAnswer,
  traceOf: () => ServerTrace | undefined,
): StreamedAnswer => ({
  ...answer,
  pieces: watched(answer.pieces, traceOf),
  sent: () => {
    answer.sent?.();
    traceOf()?.release();
  },
});

async function* watched(
  pieces: AsyncIterable<string>,
  traceOf: () => ServerTrace | undefined,
): AsyncGenerator<string> {
  try {
    for await (const piece of pieces) {
      traceOf()?.moment("HTTP_SEND_START");
      yield piece;
      traceOf()?.moment("HTTP_SEND_END");
    }
  } finally {
    traceOf()?.release();
  }
}

const sending = (trace: ServerTrace): Pick<Answer, "sending" | "sent"> => ({
  sending: () => trace.moment("HTTP_SEND_START"),
  sent: () => {
    trace.moment("HTTP_SEND_END");
    trace.release();
  },
});
