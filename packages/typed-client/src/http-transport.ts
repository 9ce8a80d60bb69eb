import { concatBytes } from "@tritype/core";
import { isBeforeRun, isOfStep, refusedAs } from "./before-run.ts";
import { ClientError } from "./client-error.ts";
import { parseFlatJson, printFlatRequest, printParameters, readFlatAnswer } from "./flat-json.ts";
import { isBusy } from "./retry.ts";
import { requestHeaders } from "./request-headers.ts";
import type { Scope } from "./scope.ts";
import { readModelConfig, readModelMetadata } from "./read-description.ts";
import { readEvents } from "./server-events.ts";
import type { Target, Transport, WireRequest, WireTensor } from "./transport.ts";

/** The address of an HTTP server, and how to connect to it. */
export interface HttpServer {
  /** `http://127.0.0.1:8000`; in a browser, also a path of the page's own origin, such as `/triton`. */
  readonly url: string;
  /** Headers for every request, such as `Authorization`; a function, which may be `async`, is called before each request. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Maximum size of an answer in bytes. Default 2147483647, 2 GiB. */
  readonly maxAnswerBytes?: number;
}

/** KServe v2 over fetch. @throws ClientError `invalid` for an invalid URL. */
export const httpTransport = ({
  url,
  headers = {},
  fetch: send = fetch,
  maxAnswerBytes = 2 ** 31 - 1,
}: HttpServer): Transport => {
  const base = baseOf(url);
  let answered = false;
  const addressOf = (target: Target): string => base + modelPath(target);
  const open = async (address: string, scope: Scope, init: RequestInit = {}): Promise<Response> => {
    const given = headersOf(await requestHeaders(headers, scope));
    // Compressing tensors costs more than it saves. Browsers do not let a page set this header.
    given.set("Accept-Encoding", "identity");
    for (const [name, value] of Object.entries((init.headers ?? {}) as Record<string, string>))
      given.set(name, value);
    try {
      const response = await send(address, {
        ...init,
        headers: given,
        signal: scope.signal,
        // The tensors and headers are for this server, not for the target of a redirect.
        redirect: "manual",
      });
      answered = true;
      return response;
    } catch (cause) {
      throw scope.ended() ?? connectionError(base, cause, "head", answered);
    }
  };
  const brokenOff = (cause: unknown, scope: Scope): unknown => {
    if (cause instanceof ClientError) return cause;
    if (cause instanceof RangeError) return malformed(cause.message);
    return scope.ended() ?? connectionError(base, cause, "body");
  };
  const whole = async (response: Response, scope: Scope): Promise<Reply> => {
    try {
      return { response, body: await readBody(response, maxAnswerBytes) };
    } catch (cause) {
      throw brokenOff(cause, scope);
    }
  };
  const call = async (address: string, scope: Scope, init?: RequestInit): Promise<Reply> =>
    whole(await open(address, scope, init), scope);
  const get = async (address: string, scope: Scope): Promise<unknown> => {
    const reply = await call(address, scope);
    if (!reply.response.ok) throw refusal(address, reply, scope);
    return parse(address, textOf(reply.body));
  };
  return {
    describe: async (target, scope) => {
      const address = addressOf(target);
      try {
        return readModelConfig(await get(`${address}/config`, scope));
      } catch (error) {
        // Only Triton has configurations; every KServe server has metadata.
        if (!(error instanceof ClientError) || !noSuchRoute.includes(error.status)) throw error;
        return readModelMetadata(await get(address, scope));
      }
    },
    ready: async (target, scope) => {
      try {
        return (await call(`${addressOf(target)}/ready`, scope)).response.ok;
      } catch (error) {
        if (error instanceof ClientError && (error.kind === "unreachable" || error.kind === "lost"))
          return false;
        throw error;
      }
    },
    infer: async (request, scope) => {
      const address = `${addressOf(request)}/infer`;
      const reply = await call(address, scope, { method: "POST", ...printRequest(request) });
      if (!reply.response.ok) throw refusal(address, reply, scope);
      return readAnswer(address, reply);
    },
    stream: async function* (request, contract, scope) {
      const address = `${addressOf(request)}/generate_stream`;
      const body = printFlatRequest(request, contract);
      const headers = { "Content-Type": "application/json" };
      const response = await open(address, scope, { method: "POST", headers, body });
      if (!response.ok || response.body === null) throw refusal(address, await whole(response, scope), scope);
      try {
        for await (const event of readEvents(response.body, maxAnswerBytes)) {
          const members = parse(address, event, parseFlatJson) as Readonly<Record<string, unknown>> | null;
          if (typeof members !== "object" || members === null) throw malformed("an event is not an object");
          if (typeof members["error"] === "string" && !request.outputs.includes("error"))
            throw new ClientError("refused", `${address} answers: ${members["error"].slice(0, 500)}`, {
              mayHaveRun: true,
            });
          yield readFlatAnswer(members, request.outputs, contract);
        }
      } catch (cause) {
        throw brokenOff(cause, scope);
      }
    },
    close: () => undefined,
  };
};

interface Reply {
  readonly response: Response;
  readonly body: ArrayBuffer;
}

/** The whole body. @throws ClientError `malformed` as soon as it exceeds the limit. */
const readBody = async ({ body }: Response, limit: number): Promise<ArrayBuffer> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    size += next.value.byteLength;
    if (size > limit) {
      await reader?.cancel().catch(() => {});
      throw malformed(`it has over ${limit} bytes (\`maxAnswerBytes\`)`);
    }
    parts.push(next.value);
  }
  return concatBytes(parts).buffer;
};

const headerLength = "Inference-Header-Content-Length";
const noSuchRoute: readonly unknown[] = [404, 405, 501];

const baseOf = (url: unknown): string => {
  const base = String(url).replace(/\/+$/, "");
  // Relative URLs resolve against the page's address; outside a page there is none.
  if (!/^https?:\/\/[^/]/.test(base) && !("location" in globalThis)) throw invalidUrl(url);
  const { username, password, search, hash } = parsedUrl(base) ?? {};
  if (username === undefined) throw invalidUrl(url);
  // fetch refuses such a URL, and a query would end up in front of the path. The message does not repeat a password.
  if ([username, password, search, hash].some((part) => part !== ""))
    throw new ClientError(
      "invalid",
      "url must not contain a user name, a password, a query or a fragment; send credentials in `headers`",
    );
  return base;
};

const invalidUrl = (url: unknown): ClientError =>
  new ClientError("invalid", `url must be like http://127.0.0.1:8000, got ${JSON.stringify(url)}`);

/** Undefined for a URL that cannot be parsed. Only paths are relative to the second address. */
const parsedUrl = (url: string): URL | undefined => {
  try {
    return new URL(url, "http://page");
  } catch {
    return undefined;
  }
};

/** @throws ClientError `invalid` for a header that cannot be sent. */
const headersOf = (headers: Readonly<Record<string, string>>): Headers => {
  try {
    return new Headers(headers);
  } catch (cause) {
    throw new ClientError("invalid", `the headers cannot be sent: ${(cause as Error).message}`, { cause });
  }
};

/** Names are not percent-encoded in the path, because Triton does not decode them. */
const modelPath = ({ model, version }: Target): string =>
  `/v2/models/${model}${version === undefined ? "" : `/versions/${version}`}`;

const printRequest = ({ id, parameters, inputs, outputs }: WireRequest): RequestInit => {
  // Triton answers a request that names no outputs with all of them.
  const settings = outputs.length === 0 ? { ...parameters, binary_data_output: true } : parameters;
  const rest = JSON.stringify({
    ...(id === undefined ? {} : { id }),
    inputs: inputs.map(({ name, dtype, shape, data }) => ({
      name,
      shape,
      datatype: dtype,
      parameters: { binary_data_size: data.byteLength },
    })),
    outputs: outputs.map((name) => ({ name, parameters: { binary_data: true } })),
  });
  // JSON.stringify cannot print bigints.
  const json = `{"parameters":${printParameters(settings)},${rest.slice(1)}`;
  const head = new TextEncoder().encode(json);
  return {
    headers: { "Content-Type": "application/octet-stream", [headerLength]: String(head.byteLength) },
    body: concatBytes([head, ...inputs.map(({ data }) => data)]),
  };
};

const readAnswer = (address: string, { response, body }: Reply): readonly WireTensor[] => {
  const given = response.headers.get(headerLength);
  const length = given === null ? body.byteLength : Number(given);
  if (!(length <= body.byteLength)) throw malformed(`its JSON has ${given} of ${body.byteLength} bytes`);
  const answer = parse(address, textOf(new Uint8Array(body, 0, length))) as {
    readonly outputs?: unknown;
  } | null;
  if (!Array.isArray(answer?.outputs)) throw malformed("it has no outputs");
  let at = length;
  return (answer.outputs as readonly unknown[]).map((given) => {
    const { size, ...output } = readOutput(given);
    if (at + size > body.byteLength) throw malformed(`the data of output \`${output.name}\` ends early`);
    const data = new Uint8Array(body, at, size);
    at += size;
    return { ...output, data };
  });
};

/** One output in the JSON. @throws ClientError `malformed` */
const readOutput = (output: unknown): Omit<WireTensor, "data"> & { readonly size: number } => {
  const { name, datatype, shape, parameters } = (output ?? {}) as Readonly<Record<string, unknown>>;
  const size = (parameters as { readonly binary_data_size?: unknown } | null | undefined)?.binary_data_size;
  if (typeof name !== "string") throw malformed("an output has no name");
  if (
    typeof datatype !== "string" ||
    !Array.isArray(shape) ||
    ![size, ...shape].every((one) => typeof one === "number" && one >= 0)
  )
    throw malformed(`output \`${name}\` is not binary data`);
  return { name, dtype: datatype, shape, size: size as number };
};

const textOf = (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string => new TextDecoder().decode(bytes);

const parse = (address: string, text: string, read: (text: string) => unknown = JSON.parse): unknown => {
  try {
    return read(text);
  } catch (cause) {
    const isPage = text.trimStart().startsWith("<");
    throw malformed(isPage ? `${address} is a web page, not a KServe server` : String(cause), cause);
  }
};

const malformed = (why: string, cause?: unknown): ClientError =>
  new ClientError("malformed", `the server's answer cannot be read: ${why}`, { cause, mayHaveRun: true });

const refusal = (address: string, { response, body }: Reply, { late }: Scope): ClientError => {
  const { status } = response;
  // Whether a response is a redirect; in a page, it has status 0 and no target.
  if (status < 400) {
    const to = response.headers.get("Location") ?? "an address that browsers hide";
    throw new ClientError("refused", `${address} redirects to ${to}; set \`url\` to it`, { status });
  }
  // A stream whose first message is an error has that error's status.
  const text = errorText(textOf(body).replace(/^data: /, ""));
  // Triton's message for a request whose `timeout` expired while it waited.
  if (status === 503 && /timeout expired/i.test(text)) return late(text, !isBeforeRun(text));
  return new ClientError(refusedAs(text), `${address} answers ${status}: ${text || "without a reason"}`, {
    status,
    // 413: the request is too large.
    mayHaveRun: status === 413 || isBusy(status) ? isOfStep(text) : !isBeforeRun(text),
    retryAfterMs: readRetryAfter(response.headers.get("Retry-After") ?? ""),
  });
};

/** Milliseconds; the header contains seconds or a date, see RFC 9110, section 10.2.3. */
const readRetryAfter = (header: string): number | undefined => {
  if (/^\d+(?:\.\d+)?$/.test(header)) return Number(header) * 1000;
  const date = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
};

const errorText = (body: string): string => {
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    return (typeof error === "string" ? error : body).slice(0, 500);
  } catch {
    return body.trim().slice(0, 500);
  }
};

/** Node's codes for a connection, also with TLS, that was never established, so that nothing was sent. */
const neverConnected =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|UND_ERR_CONNECT_TIMEOUT|(?:ERR_TLS_)?CERT_\w+|UNABLE_TO_\w+|\w*SELF_SIGNED\w*)$/;

/** The codes of a request that Node's `fetch` ended itself, because no data arrived for 300 s. */
const timeLimits = /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/;
const fetchLimit =
  "Node's fetch waits 300 s for data, regardless of `deadlineMs`; set `fetch` to one that waits longer";

const portWith = (what: string, scheme: string): string =>
  `the server at this port uses ${what}; use ${scheme}://`;

/** The beginning of an alert in TLS. */
// oxlint-disable-next-line no-control-regex -- these are bytes
const isTlsRecord = /^\x15\x03/;

/** The error of a failed connection in Node. */
interface ConnectionFailure {
  readonly code?: string;
  readonly message?: string;
  /** The beginning of an answer that is not HTTP. */
  readonly data?: string;
  /** Present only for a connection that the server closed, not for one that it reset. */
  readonly socket?: { readonly bytesRead?: number };
}

/** @param earlier Whether another request has been answered. */
const connectionError = (
  base: string,
  cause: unknown,
  missing: "head" | "body",
  earlier = false,
): ClientError => {
  const { cause: reason } = cause as { readonly cause?: ConnectionFailure };
  const { code = "", message: words = "", data = "" } = reason ?? {};
  const why = words || code || String(cause);
  // The error has a code in Node, but not if a program uses undici from npm.
  const isNoHttp = words.includes("(Expected HTTP/");
  const unreachable =
    code === "ERR_SSL_WRONG_VERSION_NUMBER"
      ? portWith("no TLS", "http")
      : isNoHttp && isTlsRecord.test(data)
        ? portWith("TLS", "https")
        : neverConnected.test(code)
          ? why
          : undefined;
  if (unreachable !== undefined)
    return new ClientError("unreachable", `no server answers at ${base}: ${unreachable}`, { cause });
  if (isNoHttp) return malformed(`${base} does not speak HTTP/1.1; is this its gRPC port?`, cause);
  if (missing === "body" || code !== "") {
    // Some servers with TLS close such a connection without a word.
    const mayUseTls = base.startsWith("http:") && !earlier && reason?.socket?.bytesRead === 0;
    const hint = timeLimits.test(code)
      ? ` (${fetchLimit})`
      : mayUseTls
        ? ` (if ${portWith("TLS", "https")})`
        : "";
    return new ClientError(
      "lost",
      `the connection to ${base} ended before the answer was complete: ${why}${hint}`,
      { cause, mayHaveRun: true, onKeptConnection: missing === "head" && isKept(reason ?? {}, earlier) },
    );
  }
  // A browser does not reveal more, not even whether anything was sent.
  return new ClientError(
    "unreachable",
    `no answer from ${base || "this page's server"}: ${why} (there is no server, it has stopped, or it does not allow requests from this page)`,
    { cause, mayHaveRun: true },
  );
};

/**
 * Whether the connection had served earlier requests. Bytes that a closed connection delivered come from
 * earlier answers or from part of this answer's head; the two cannot be distinguished. Nothing is known about
 * a reset connection: most are kept alive.
 */
const isKept = ({ code, socket }: ConnectionFailure, earlier: boolean): boolean =>
  earlier &&
  (socket?.bytesRead === undefined ? code === "ECONNRESET" || code === "EPIPE" : socket.bytesRead > 0);
