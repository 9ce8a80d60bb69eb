import { Agent, request as httpRequest } from "node:http";
import { PipelineError } from "@tritype/core";
import {
  adder,
  echoes,
  type MemoryModel,
  memoryRuntime,
  rawEcho,
  teller,
  textEcho,
} from "./memory-runtime.fixture.ts";
import type { HttpServer } from "./serve-answers.ts";
import { serveHttp } from "./serve-http.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}
export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A server, and a way to send it arbitrary requests. */
export interface TestServer {
  readonly server: HttpServer;
  /** Sends only the given headers, without a Content-Type or Accept-Encoding of its own. */
  readonly call: (path: string, call?: Call, agent?: Agent) => Promise<Reply>;
  /** The errors that the server reported as internal. */
  readonly internal: readonly unknown[];
}

/** Maximum size of a body that the test server accepts. */
export const limit = 4096;

/** Serves the models of memory-runtime.fixture.ts and two models that fail. */
export const serveTest = async (): Promise<TestServer> => {
  const internal: unknown[] = [];
  const runtime = memoryRuntime([adder, ...echoes, rawEcho, textEcho, teller, failing, broken, odd]);
  const onInternalError = (fault: unknown): void => {
    internal.push(fault);
  };
  const server = await serveHttp(runtime, { port: 0, maxBodyBytes: limit, onInternalError });
  return { server, internal, call: (path, call, agent) => send(server.url, path, call, agent) };
};

const failing: MemoryModel = {
  ...rawEcho,
  name: "failing",
  run: () => {
    throw new PipelineError("model/failed", "in ensemble 'failing', boom");
  },
};
const broken: MemoryModel = {
  ...rawEcho,
  name: "broken",
  run: () => {
    throw new TypeError("x is undefined");
  },
};
const odd: MemoryModel = { ...rawEcho, name: "a%20b" };

const send = (
  url: string,
  path: string,
  { method, headers = {}, body }: Call = {},
  agent?: Agent,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const verb = method ?? (body === undefined ? "GET" : "POST");
    const options = { hostname, port, path, method: verb, headers, ...(agent && { agent }) };
    const sent = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });

/** The body of an error answer. */
export const error = (text: string): string => JSON.stringify({ error: text });
/** The path of a model. */
export const infer = (model: string): string => `/v2/models/${model}/infer`;
/** An input of `add`. */
export const input = (name: string, rest: object): object => ({
  name,
  datatype: "FP32",
  shape: [1, 2],
  data: [1, 2],
  ...rest,
});
/** A request to `add`: [1, 2] + [1, 2], with `rest` merged into its second input. */
export const add = (rest: object, request: object = {}): string =>
  JSON.stringify({ ...request, inputs: [input("INPUT0", {}), input("INPUT1", rest)] });
/** A request to an echo model. */
export const echo = (datatype: string, shape: unknown, data: unknown, rest: object = {}): string =>
  JSON.stringify({ inputs: [{ name: "INPUT", datatype, shape, data, ...rest }] });
/** The answer of `add`. */
export const sum =
  '{"model_name":"add","model_version":"1","outputs":[{"name":"OUTPUT","datatype":"FP32","shape":[1,2],"data":[2.0,4.0]}]}';
