import type { handleBidiStreamingCall, ServerDuplexStream } from "@grpc/grpc-js";
import { PipelineError } from "@tritype/core";
import { type GrpcInferRequest, grpcInferResponse, grpcReplySteps, type Parameters } from "@tritype/protocol";
import { type CancelSignal, type Runtime, onAbort } from "@tritype/runtime";
import type { Extensions } from "./extensions.ts";
import { forwardedGrpc, type ForwardedNames, withHeaders } from "./forwarded-headers.ts";
import { goneOf } from "./gone-of.ts";
import { readInferMessage, readInferRequest } from "./grpc-methods.ts";
import { statusOf, textOf } from "./grpc-status.ts";
import { inSlices } from "./in-slices.ts";
import { modelMessages } from "./model-messages.ts";
import { parseVersion } from "./parse-version.ts";
import { requireGrpcHeader, type Restrictions } from "./restrictions.ts";
import { openSharedRequest } from "./shared-memory/shared-request.ts";
import { sizeOf } from "./size-of.ts";
import { now } from "./tracing/moments.ts";
import type { ServerTrace } from "./tracing/open-trace.ts";
import { sampleGrpc } from "./tracing/sample-grpc.ts";

export interface StreamOptions {
  readonly runtime: Runtime;
  readonly extensions: Extensions;
  /** Called with each running request; its promise ends when the last message is handed to the transport. */
  readonly track: (answer: Promise<void>) => void;
  readonly onInternalError: (error: unknown) => void;
  readonly forwardedNames: ForwardedNames;
  readonly restrictions: Restrictions | undefined;
}

/** Total size in bytes of requests and responses above which a stream stops reading requests. */
const mostHeld = 2 ** 26;

/**
 * `ModelStreamInfer`. Requests reach their models in the order of the stream and run in parallel. Answers of models that
 * are not decoupled keep the order of their requests; those of decoupled models are sent as they arrive. As in Triton,
 * only the first message of a model that is not decoupled is sent. An error is
 * sent in the stream, which stays open: a model's with its name and the mark of the last response, a refused request's
 * with its id only. With the header `triton_grpc_error: true`, a model's first error ends the stream with its status
 * and cancels the other requests.
 */
export const streamInfer =
  ({
    runtime,
    extensions,
    track,
    onInternalError,
    forwardedNames,
    restrictions,
  }: StreamOptions): handleBidiStreamingCall<Uint8Array, object> =>
  (call) => {
    const gone = goneOf(call);
    // A client that disconnects ends its stream.
    call.on("error", () => {});
    const end = (error: unknown): void => {
      if (!call.writableEnded) call.emit("error", statusOf(error));
      gone.abort();
    };
    try {
      requireGrpcHeader(restrictions, "ModelStreamInfer", call.metadata);
    } catch (error) {
      end(error);
      return;
    }
    const endsWithStatus = call.metadata.get("triton_grpc_error").includes("true");
    const headers = forwardedGrpc(forwardedNames, call.metadata);
    const write = createWriter(call, gone);
    let held = 0;
    const hold = (size: number): void => {
      held += size;
      if (held > mostHeld) call.pause();
      else if (call.isPaused()) call.resume();
    };

    const running = new Set<Promise<void>>();
    /** Resolves when all previous requests to models that are not decoupled are answered. */
    let answered = Promise.resolve();
    const answer = async (
      message: GrpcInferRequest,
      { size, received }: ReceivedMessage,
      started: () => void,
    ): Promise<void> => {
      const found = findModel(runtime, message);
      const { decoupled } = found;
      const turn = decoupled ? Promise.resolve() : answered;
      let done = (): void => {};
      if (!decoupled) {
        const mine = new Promise<void>((resolve) => {
          done = resolve;
        });
        answered = turn.then(() => mine);
      }
      const request = {
        runtime,
        extensions,
        headers,
        message,
        size,
        ...found,
        signal: gone,
        started,
        sample: () => sampleGrpc(extensions.trace, message.model_name, call.metadata, received),
      };
      for await (const response of responsesTo(request)) {
        const { error } = response;
        if (error !== undefined && !PipelineError.is(error)) onInternalError(error);
        if (response.ofModel && error !== undefined && endsWithStatus) {
          end(error);
          break;
        }
        hold(response.size);
        await turn;
        response.trace?.moment("GRPC_SEND_START");
        await write(response.message);
        response.trace?.moment("GRPC_SEND_END");
        hold(-response.size);
        if (gone.aborted) break;
      }
      done();
    };

    const issue = async (bytes: Uint8Array): Promise<void> => {
      const received = now();
      const message = await readInferMessage(bytes, gone);
      await new Promise<void>((started) => {
        const one = answer(message, { size: bytes.byteLength, received }, started).finally(() => {
          started();
          running.delete(one);
        });
        running.add(one);
        track(one);
      });
    };
    let issued = Promise.resolve();
    call.on("data", (bytes: Uint8Array) => {
      hold(bytes.byteLength);
      issued = issued
        .then(() => issue(bytes))
        .catch(end)
        .finally(() => hold(-bytes.byteLength));
    });
    call.on("end", async () => {
      await issued;
      await Promise.all(running);
      call.end();
    });
  };

interface ReceivedMessage {
  /** Bytes. */
  readonly size: number;
  /** Microseconds of the runtime's clock. */
  readonly received: number;
}

interface StreamedRequest extends FoundModel {
  readonly runtime: Runtime;
  readonly extensions: Extensions;
  readonly headers: Parameters;
  readonly message: GrpcInferRequest;
  /** Size of the message in bytes. */
  readonly size: number;
  readonly signal: CancelSignal;
  /** Called when the request has reached its model, or is refused. */
  readonly started: () => void;
  /** Starts a trace if the request should be traced. */
  readonly sample: () => ServerTrace | undefined;
}

/** A `ModelStreamInferResponse`, or its bytes. */
interface StreamedResponse {
  readonly message: object;
  /** Size of its tensors in bytes. */
  readonly size: number;
  readonly error?: unknown;
  /** Whether the answer comes from the model rather than from the server. */
  readonly ofModel: boolean;
  readonly trace: ServerTrace | undefined;
}

async function* responsesTo(request: StreamedRequest): AsyncGenerator<StreamedResponse> {
  const { runtime, extensions, headers, message, size, decoupled, missing, signal, started, sample } =
    request;
  const { id, model_name, model_version } = message;
  const shared = openSharedRequest(extensions.regions, runtime);
  let trace: ServerTrace | undefined;
  try {
    // A missing model is reported before the data.
    if (missing !== undefined) throw missing;
    const read = await readInferRequest(message, size, signal, shared.tensors);
    const complete = withHeaders(await shared.withInputs(read, signal), headers);
    trace = sample();
    for await (const one of modelMessages(runtime, complete, signal, started, trace?.request)) {
      const parameters = { triton_final_response: { bool_param: one.final } };
      const empty = { id, model_name, model_version, parameters };
      const failed = (error: unknown): StreamedResponse => ({
        message: { error_message: textOf(error), infer_response: empty },
        size: 0,
        error,
        ofModel: true,
        trace,
      });
      try {
        if (one.error !== undefined) yield failed(one.error);
        else if (one.response !== undefined) {
          const inRegions = await shared.writeOutputs(one.response, signal);
          const made = grpcInferResponse(one.response, inRegions);
          const reply = { ...made, parameters: { ...made.parameters, ...parameters } };
          const size = sizeOf(one.response.outputs);
          const bytes = await inSlices(grpcReplySteps(reply, true), size, signal);
          yield { message: bytes, size, ofModel: true, trace };
        } else if (decoupled && wantsEmptyEnd(message))
          yield { message: { infer_response: empty }, size: 0, ofModel: true, trace };
      } catch (error) {
        yield failed(error);
      }
      if (!decoupled) break;
    }
  } catch (error) {
    started();
    const refused = { error_message: textOf(error), infer_response: { id } };
    yield { message: refused, size: 0, error, ofModel: false, trace };
  } finally {
    trace?.release();
    shared.end();
  }
}

const wantsEmptyEnd = ({ parameters }: GrpcInferRequest): boolean =>
  parameters["triton_enable_empty_final_response"]?.bool_param === true;

interface FoundModel {
  readonly decoupled: boolean;
  /** The error if there is no such model. */
  readonly missing?: Error;
}

const findModel = (runtime: Runtime, { model_name, model_version }: GrpcInferRequest): FoundModel => {
  try {
    return { decoupled: runtime.decoupled(model_name, parseVersion(model_version)) };
  } catch (error) {
    return { decoupled: false, missing: error as Error };
  }
};

/**
 * Writes one message at a time, so that a client that does not read slows its models down. Ends early if the client
 * disconnects.
 */
const createWriter = (
  call: ServerDuplexStream<unknown, object>,
  gone: CancelSignal,
): ((message: object) => Promise<void>) => {
  let written = Promise.resolve();
  let giveUp = (): void => {};
  onAbort(gone, () => giveUp());
  const write = (message: object): Promise<void> =>
    new Promise((resolve) => {
      giveUp = resolve;
      if (gone.aborted || call.writableEnded) resolve();
      else call.write(message, () => resolve());
    });
  return (message) => {
    written = written.then(() => write(message));
    return written;
  };
};
