import { type CallOptions, Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { foreignError, type NamedTensors, PipelineError } from "@tritype/core";
import {
  errorOfGrpcStatus,
  type GrpcInferResponse,
  grpcInferRequest,
  grpcMethod,
  parseModelMetadata,
  parseModelStatistics,
  parseRepositoryIndex,
  parseServerMetadata,
  readGrpcInferResponse,
} from "@tritype/protocol";
import { type ClientOptions, type InferCall, isLimit, type StreamingClient } from "./inference-client.ts";
import { clientError } from "./errors.ts";
import { silentError } from "./silent-error.ts";

/**
 * A client for the server at `address`, such as `127.0.0.1:8001`. It is unencrypted and accepts messages of any size.
 */
export const grpcClient = (
  address: string,
  { timeoutMs, headers = {} }: ClientOptions = {},
): StreamingClient => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const client = new Client(address, credentials.createInsecure(), {
    "grpc.max_send_message_length": -1,
    "grpc.max_receive_message_length": -1,
  });

  const isLate = ({ code }: ServiceError): boolean => isLimit(timeoutMs) && code === status.DEADLINE_EXCEEDED;
  const silent = (path: string, cause: unknown): PipelineError =>
    silentError(address + path, timeoutMs, cause);

  const call = (
    method: string,
    request: object,
    form: "decode" | "decodeJson" = "decode",
    signal?: AbortSignal,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { path, request: asked, response: answered } = grpcMethod(method);
      const options: CallOptions = isLimit(timeoutMs) ? { deadline: Date.now() + timeoutMs } : {};
      const running = client.makeUnaryRequest(
        path,
        (message: object) => bufferOf(asked.encode(message)),
        answered[form],
        request,
        metadata,
        options,
        (error, answer) => {
          signal?.removeEventListener("abort", cancel);
          if (error === null) resolve(answer);
          else if (signal?.aborted) reject(cancelled(address, error));
          else reject(isLate(error) ? silent(path, error) : failure(address, error));
        },
      );
      const cancel = (): void => running.cancel();
      signal?.addEventListener("abort", cancel);
      if (signal?.aborted) cancel();
    });
  const holds = async (method: string, member: string): Promise<boolean> => {
    try {
      const answer = (await call(method, {})) as Readonly<Record<string, unknown>>;
      return answer[member] === true;
    } catch (error) {
      if (PipelineError.is(error) && error.code === "server/unreachable") return false;
      throw error;
    }
  };

  async function* stream(request: InferCall, signal?: AbortSignal): AsyncGenerator<NamedTensors> {
    const { path, request: asked, response: answered } = grpcMethod("ModelStreamInfer");
    const message = grpcInferRequest({ ...request, id: request.id ?? "" });
    const messages = client.makeBidiStreamRequest(
      path,
      (sent: object) => bufferOf(asked.encode(sent)),
      (bytes) => answered.decode(bytes) as StreamedResponse,
      metadata,
    );
    const cancel = (): void => messages.cancel();
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    let late = false;
    const giveUp = (): void => {
      late = true;
      cancel();
    };
    const wait = () => (isLimit(timeoutMs) ? setTimeout(giveUp, timeoutMs) : undefined);
    let waiting = wait();
    try {
      messages.write(message);
      messages.end();
      for await (const {
        error_message: text,
        infer_response: response,
      } of messages as AsyncIterable<StreamedResponse>) {
        clearTimeout(waiting);
        if (text !== "") throw foreignError("model/failed", text);
        if (response !== null) yield readGrpcInferResponse(response).outputs;
        waiting = wait();
      }
    } catch (error) {
      if (!isServiceError(error)) throw error;
      if (late) throw silent(path, error);
      throw signal?.aborted ? cancelled(address, error) : failure(address, error);
    } finally {
      clearTimeout(waiting);
      signal?.removeEventListener("abort", cancel);
      cancel();
    }
  }

  return {
    live: () => holds("ServerLive", "live"),
    ready: () => holds("ServerReady", "ready"),
    serverMetadata: async () => parseServerMetadata(await call("ServerMetadata", {})),
    modelMetadata: async (name, version = "") =>
      parseModelMetadata(await call("ModelMetadata", { name, version })),
    modelConfig: async (name, version = "") =>
      ((await call("ModelConfig", { name, version }, "decodeJson")) as { readonly config: object }).config,
    statistics: async () => parseModelStatistics(await call("ModelStatistics", {}, "decodeJson")),
    repositoryIndex: async () => {
      const { models = [] } = (await call("RepositoryIndex", {}, "decodeJson")) as {
        readonly models?: unknown;
      };
      return parseRepositoryIndex(models);
    },
    stream,
    infer: async (request, signal) => {
      const message = grpcInferRequest({ ...request, id: request.id ?? "" });
      const answer = await call("ModelInfer", message, "decode", signal);
      return readGrpcInferResponse(answer as GrpcInferResponse).outputs;
    },
    close: async () => client.close(),
  };
};

interface StreamedResponse {
  readonly error_message: string;
  readonly infer_response: GrpcInferResponse | null;
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && typeof (error as Partial<ServiceError>).details === "string";

/** grpc-js's own words for a missing server or a lost connection. */
const noConnection =
  /^No connection established|^Name resolution failed|^Connection dropped|ECONN(?:REFUSED|RESET)/;

/** Only an error from the server, whose text may say anything, comes with headers. */
const isAnswer = ({ metadata }: ServiceError): boolean => metadata.get("content-type").length > 0;

const failure = (address: string, error: ServiceError): PipelineError =>
  error.code === status.UNAVAILABLE && !isAnswer(error) && noConnection.test(error.details)
    ? clientError("server/unreachable", { address, why: error.details }, { cause: error })
    : errorOfGrpcStatus(error.code, error.details || withoutReason(error), error);

const cancelled = (address: string, cause: ServiceError): PipelineError =>
  clientError("request/cancelled-by-caller", { address }, { cause });

/** Node's HTTP/2 drops a status text that ends with a space, such as Triton's message for a wrong shape. */
const withoutReason = ({ code }: ServiceError): string =>
  `the server answered ${status[code]} without a reason`;
