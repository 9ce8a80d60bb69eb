import { foreignError, PipelineError } from "@tritype/core";
import { generateRequestSteps, generateResponseSteps, type InferRequest } from "@tritype/protocol";
import { type Answer, errorBody, failureText, type StreamedAnswer } from "./answer.ts";
import { inSlices } from "./in-slices.ts";
import { type ModelMessage, modelMessages } from "./model-messages.ts";
import { readBody } from "./read-body.ts";
import type { RouteContext } from "./route-context.ts";
import { sizeOf } from "./size-of.ts";
import { now } from "./tracing/moments.ts";
import type { ServerTrace } from "./tracing/open-trace.ts";
import { sampleHttp, tracedAnswer, tracedPieces } from "./tracing/traced-answer.ts";

/**
 * `POST /v2/models/<model>/generate`: flat JSON for a model that answers once. The status is that of the first message,
 * even if more follow; more than one is a failure, with Triton's message.
 */
export const generateRoute = async (
  context: RouteContext,
  model: string,
  version: string | undefined,
): Promise<Answer> => {
  const { request, trace } = await receive(context, model, version);
  return tracedAnswer(context, trace, async () => {
    let answer: Printed = { status: 200, body: errorBody(notOnce) };
    let count = 0;
    for await (const printed of printedMessages(context, await request(), trace))
      answer = count++ === 0 ? printed : { ...answer, body: errorBody(notOnce) };
    return { ...answer, headers: { "Content-Type": "application/json" } };
  });
};

/**
 * `POST /v2/models/<model>/generate_stream`: each message as a server-sent event, as it arrives. The status is that of the
 * first one.
 */
export const generateStreamRoute = async (
  context: RouteContext,
  model: string,
  version: string | undefined,
): Promise<StreamedAnswer> => {
  const { request, trace } = await receive(context, model, version);
  try {
    const messages = printedMessages(context, await request(), trace);
    const { value: first } = await messages.next();
    const answer = {
      status: first?.status ?? 200,
      headers: { "Content-Type": "text/event-stream; charset=utf-8" },
      pieces: events(first, messages),
    };
    return trace === undefined ? answer : tracedPieces(answer, () => trace);
  } catch (error) {
    trace?.release();
    throw error;
  }
};

async function* events(
  first: Printed | undefined,
  rest: AsyncGenerator<Printed, undefined>,
): AsyncGenerator<string> {
  try {
    if (first !== undefined) yield `data: ${first.body}\n\n`;
    for await (const { body } of rest) yield `data: ${body}\n\n`;
  } finally {
    await rest.return(undefined);
  }
}

/** A message as JSON, and the status of an answer that begins with it. */
interface Printed {
  readonly status: number;
  readonly body: string;
}

const notOnce =
  "generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses";

/** @throws PipelineError from the first `next()` if the request is refused. */
async function* printedMessages(
  context: RouteContext,
  request: InferRequest,
  trace: ServerTrace | undefined,
): AsyncGenerator<Printed, undefined, undefined> {
  const messages = modelMessages(context.runtime, request, context.signal, undefined, trace?.request);
  for await (const message of messages) {
    const printed = await print(context, message);
    if (printed !== undefined) yield printed;
  }
}

/** A request whose body has arrived, and its trace. */
interface Received {
  /** Reads the body. @throws PipelineError if it is not a request. */
  readonly request: () => InferRequest | Promise<InferRequest>;
  readonly trace: ServerTrace | undefined;
}

const receive = async (
  context: RouteContext,
  model: string,
  version: string | undefined,
): Promise<Received> => {
  const { runtime, request, maxBodyBytes, signal } = context;
  const received = now();
  const { inputs } = runtime.modelMetadata(model, version);
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity")
    throw foreignError("request/invalid", "Unsupported content-encoding, only 'identity' is supported.");
  const body = await readBody(request, maxBodyBytes);
  const target = version === undefined ? { model } : { model, version };
  return {
    trace: sampleHttp(context, model, received),
    request: () =>
      inSlices(
        generateRequestSteps({ ...target, body, inputs, maxInputBytes: maxBodyBytes }),
        body.byteLength,
        signal,
      ),
  };
};

/** Undefined for a message that only marks the end. */
const print = async (
  { signal, onInternalError }: RouteContext,
  { response, error }: ModelMessage,
): Promise<Printed | undefined> => {
  if (error !== undefined) {
    if (!PipelineError.is(error)) onInternalError?.(error);
    return { status: 400, body: errorBody(failureText(error)) };
  }
  if (response === undefined) return undefined;
  try {
    const body = await inSlices(generateResponseSteps(response), sizeOf(response.outputs), signal);
    return { status: 200, body };
  } catch (failure) {
    return { status: 400, body: errorBody(failureText(failure)) };
  }
};
