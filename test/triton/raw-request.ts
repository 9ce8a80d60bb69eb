import { type Agent, request as httpRequest } from "node:http";

export interface RawRequest {
  /** Default: GET, or POST if there is a body. */
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sends the body in chunks, without its length. */
  readonly chunked?: boolean;
}

export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends a request with only the headers Host and Content-Length, on its own connection or on one of `agent`. */
export const sendRaw = (
  url: string,
  { method, path, headers = {}, body, chunked }: RawRequest,
  agent: Agent | false = false,
): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const verb = method ?? (body === undefined ? "GET" : "POST");
    const length =
      body === undefined
        ? {}
        : chunked === true
          ? { "Transfer-Encoding": "chunked" }
          : { "Content-Length": Buffer.byteLength(body) };
    const options = { hostname, port, path, method: verb, headers: { ...length, ...headers }, agent };
    const sent = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.setTimeout(100_000, () => sent.destroy(new Error(`${verb} ${path} got no answer`)));
    sent.on("error", reject);
    sent.end(body);
  });
