import {
  headerLengthName,
  inferRequestSteps,
  inferResponseSteps,
  parseRawRequest,
  requireHeaderLength,
} from "@tritype/protocol";
import type { RequestTrace } from "@tritype/runtime";
import { type Answer, answeredPlainly } from "./answer.ts";
import { compressAnswer } from "./compress-answer.ts";
import { forwardedHttp, withHeaders } from "./forwarded-headers.ts";
import { inSlices } from "./in-slices.ts";
import { readBody } from "./read-body.ts";
import { refuseDecoupled } from "./refuse-decoupled.ts";
import type { RouteContext } from "./route-context.ts";
import { openSharedRequest } from "./shared-memory/shared-request.ts";
import { sizeOf } from "./size-of.ts";
import { now } from "./tracing/moments.ts";
import { sampleHttp, tracedAnswer } from "./tracing/traced-answer.ts";

interface ReceivedRequest {
  readonly model: string;
  readonly version: string | undefined;
  readonly body: Uint8Array;
}

/**
 * `POST /v2/models/<model>/infer`. A missing model is reported before any fault of the body. A header length of 0 and
 * an empty body mean a raw binary request.
 */
export const inferRoute = async (
  context: RouteContext,
  model: string,
  version: string | undefined,
): Promise<Answer> => {
  const { runtime, request, maxBodyBytes } = context;
  const received = now();
  let body: Uint8Array;
  try {
    refuseDecoupled(
      runtime,
      model,
      version,
      "HTTP end point doesn't support models with decoupled transaction policy",
    );
    body = await readBody(request, maxBodyBytes);
  } catch (error) {
    throw answeredPlainly(error);
  }
  const trace = sampleHttp(context, model, received);
  return tracedAnswer(context, trace, () => inferAnswer(context, { model, version, body }, trace?.request));
};

/** Triton notices this only in a backend, after it has read the request. */
const isOfBackend = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith("incomplete string data for inference input");

const inferAnswer = async (
  { runtime, extensions, request, maxBodyBytes, signal, forwardedNames }: RouteContext,
  { model, version, body }: ReceivedRequest,
  trace: RequestTrace | undefined,
): Promise<Answer> => {
  const shared = openSharedRequest(extensions.regions, runtime);
  /** Whether the request is being read and checked; only failures in this phase have Triton's content type for JSON. */
  let reading = false;
  const accepted = (): void => {
    reading = false;
  };
  try {
    const header = request.headers[headerLengthName.toLowerCase()];
    const headerLength =
      header === undefined ? body.byteLength : requireHeaderLength(String(header), body.byteLength);
    reading = true;
    const parsed =
      headerLength === 0
        ? parseRawRequest({ model, version, body, config: runtime.modelConfig(model, version) })
        : await inSlices(
            inferRequestSteps({
              model,
              version,
              body,
              headerLength,
              maxInputBytes: maxBodyBytes,
              shared: shared.tensors,
            }),
            body.byteLength,
            signal,
          );
    const complete = await shared.withInputs(parsed.request, signal);
    const response = await runtime.infer(
      withHeaders(complete, forwardedHttp(forwardedNames, request)),
      signal,
      accepted,
      trace,
    );
    const inRegions = await shared.writeOutputs(response, signal);
    const message = await inSlices(
      inferResponseSteps(response, parsed.format, inRegions),
      sizeOf(response.outputs),
      signal,
    );
    const headers = { "Content-Type": message.contentType, ...message.headers };
    return await compressAnswer(
      { status: 200, headers, body: message.body },
      request.headers["accept-encoding"]?.toString(),
    );
  } catch (error) {
    throw reading && !isOfBackend(error) ? error : answeredPlainly(error);
  } finally {
    shared.end();
  }
};
