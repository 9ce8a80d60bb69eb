import { decodeUtf8, generalError, messageOf, PipelineError } from "@tritype/core";
import {
  errorOfHttpStatus,
  errorTextOf,
  headerLengthName,
  type InferMessage,
  parseInferResponse,
  parseModelMetadata,
  parseModelStatistics,
  parseRepositoryIndex,
  parseServerMetadata,
  printInferRequest,
} from "@tritype/protocol";
import { type ClientOptions, type InferenceClient, isLimit } from "./inference-client.ts";
import { clientError } from "./errors.ts";
import { silentError } from "./silent-error.ts";

/** A client for the server at `url`, such as `http://127.0.0.1:8000`. */
export const httpClient = (
  url: string,
  { timeoutMs, binary = true, headers: own }: ClientOptions = {},
): InferenceClient => {
  const base = url.replace(/\/+$/, "");

  const send = async (path: string, request?: InferMessage, abort?: AbortSignal): Promise<Reply> => {
    const signals = [
      ...(abort === undefined ? [] : [abort]),
      ...(isLimit(timeoutMs) ? [AbortSignal.timeout(timeoutMs)] : []),
    ];
    const signal = signals.length > 1 ? AbortSignal.any(signals) : (signals[0] ?? null);
    // Compressing tensors costs more than it saves, but `fetch` requests compression by default.
    const headers = {
      ...own,
      "Accept-Encoding": "identity",
      ...(request && { "Content-Type": request.contentType, ...request.headers }),
    };
    const init: RequestInit = request
      ? { method: "POST", body: request.body as Uint8Array<ArrayBuffer> }
      : {};
    try {
      // After a redirect to another origin, `fetch` removes `Authorization`, but not other headers.
      const redirect = own === undefined ? "follow" : "manual";
      const response = await fetch(base + path, { ...init, signal, headers, redirect });
      return { response, body: new Uint8Array(await response.arrayBuffer()) };
    } catch (cause) {
      if (abort?.aborted === true)
        throw clientError("request/cancelled-by-caller", { address: base }, { cause });
      throw unreachable(base, path, timeoutMs, cause);
    }
  };
  const get = async (path: string): Promise<unknown> => jsonOf(accept(await send(path)));
  const holds = async (path: string): Promise<boolean> => {
    try {
      return (await send(path)).response.ok;
    } catch (error) {
      if (PipelineError.is(error) && error.code === "server/unreachable") return false;
      throw error;
    }
  };

  return {
    live: () => holds("/v2/health/live"),
    ready: () => holds("/v2/health/ready"),
    serverMetadata: async () => parseServerMetadata(await get("/v2")),
    modelMetadata: async (model, version) => parseModelMetadata(await get(modelPath(model, version))),
    modelConfig: async (model, version) => (await get(`${modelPath(model, version)}/config`)) as object,
    repositoryIndex: async () =>
      parseRepositoryIndex(jsonOf(accept(await send("/v2/repository/index", emptyMessage)))),
    statistics: async () => parseModelStatistics(await get("/v2/models/stats")),
    infer: async ({ model, version, ...message }, signal) => {
      const request = printInferRequest(message, { binary });
      const reply = accept(await send(`${modelPath(model, version)}/infer`, request, signal));
      const headerLength = reply.response.headers.get(headerLengthName);
      return parseInferResponse(
        reply.body,
        headerLength === null ? reply.body.byteLength : Number(headerLength),
      ).outputs;
    },
    close: async () => undefined,
  };
};

const emptyMessage: InferMessage = { contentType: "application/json", headers: {}, body: new Uint8Array(0) };

/** Names are not percent-encoded in the path, because Triton does not decode them. */
const modelPath = (model: string, version: string | undefined): string =>
  `/v2/models/${segment("model", model)}${version === undefined ? "" : `/versions/${segment("version", version)}`}`;

/**
 * These characters end a path segment, here or on a server that decodes paths. `fetch` removes control characters such
 * as tabs.
 */
const separator = /[/\\?#\p{Cc}]|%(?:2f|5c)/iu;
/** `.` and `..`, in the forms that `fetch` resolves (https://url.spec.whatwg.org/#double-dot-path-segment). */
const dotSegment = /^\s*(?:\.|%2e){1,2}\s*$/i;

/** @throws PipelineError `request/invalid` for a name that would change the address, such as `../repository/index?`. */
const segment = (what: string, name: string): string => {
  if (separator.test(name) || dotSegment.test(name))
    throw clientError("request/unsafe-name", { what, name: JSON.stringify(name) });
  return name;
};

interface Reply {
  readonly response: Response;
  readonly body: Uint8Array;
}

const accept = (reply: Reply): Reply => {
  const { ok, status } = reply.response;
  if (ok) return reply;
  const text = errorTextOf(decodeUtf8(reply.body));
  throw errorOfHttpStatus(status, text === "" ? `the server answered ${status} without a reason` : text);
};

const jsonOf = ({ body }: Reply): unknown => {
  try {
    return JSON.parse(decodeUtf8(body));
  } catch (cause) {
    throw generalError("server/unreadable-answer", { why: String(cause) }, { cause });
  }
};

const unreachable = (
  base: string,
  path: string,
  timeoutMs: number | undefined,
  cause: unknown,
): PipelineError => {
  const timedOut = cause instanceof Error && cause.name === "TimeoutError";
  const { cause: reason = cause } = cause as { cause?: unknown };
  if (timedOut) return silentError(base + path, timeoutMs, cause);
  const why = messageOf(reason);
  return why === "bad port"
    ? clientError(
        "server/unreachable",
        { address: base, why: "Node and browsers block requests to this port" },
        { cause, help: "check the address, or let the server listen on another port, such as 8000" },
      )
    : clientError("server/unreachable", { address: base, why }, { cause });
};
