import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { answerHttp, listen } from "../fixtures/listen.ts";
import { freePort } from "./free-port.ts";
import { pipeline, startPipeline } from "./run-pipeline.ts";

const nowhere = { root: process.cwd() };

/** Starts a server that returns `answers` (keys such as `GET /path`), and 404 for everything else. Returns its address. */
const serve = (
  answers: Readonly<Record<string, object | string>>,
  onRequest: (request: IncomingMessage) => void = () => {},
): Promise<string> =>
  answerHttp((request, response) => {
    onRequest(request);
    const answer = answers[`${request.method} ${request.url}`];
    response.writeHead(answer === undefined ? 404 : 200);
    response.end(
      answer === undefined
        ? '{"error":"Not Found"}'
        : typeof answer === "string"
          ? answer
          : JSON.stringify(answer),
    );
  });

const shape = (name: string) => ({ name, datatype: "FP32", shape: [-1, 2] });
const double = {
  name: "double",
  versions: ["3"],
  platform: "sklearn",
  inputs: [shape("x")],
  outputs: [shape("y")],
};
/** The parts of KServe v2 that every server has. */
const plain = {
  "GET /v2": { name: "plain", version: "1.2", extensions: [] },
  "GET /v2/models/double": double,
  "POST /v2/models/double/infer": {
    model_name: "double",
    outputs: [{ ...shape("y"), shape: [1, 2], data: [2, 4] }],
  },
};

test("a server without index, statistics and configurations is shown by its metadata", async () => {
  const url = await serve(plain);
  const models = ["--model", "double", "--model", "missing"];
  const running = startPipeline(nowhere, ["inspect", "--url", url, "--port", "0", ...models]);
  const [, page = ""] = await running.says(/^inspecting \S+ at (\S+)/);
  await running.says(/stop with Ctrl-C/);
  const get = async (path: string): Promise<unknown> => (await fetch(`${page}/api/${path}`)).json();
  expect(await get("overview")).toEqual({
    repository: url,
    url,
    server: plain["GET /v2"],
    missing: [
      "A server's API does not provide source lines or model files, so this page does not show them.",
      "This server has no statistics, so there are no live figures.",
      "This server does not list its models, so the page only shows those whose names it knows.",
    ],
    tensors: false,
    bySteps: true,
    editor: false,
    statistics: false,
    models: [
      expect.objectContaining({
        name: "double",
        kind: "sklearn",
        state: "READY",
        versions: ["3"],
        inputs: [{ name: "x", dtype: "FP32", dims: [-1, 2] }],
      }),
      expect.objectContaining({ name: "missing", state: "UNAVAILABLE", reason: "Not Found" }),
    ],
    findings: [],
    clients: [],
  });
  const answer = await runDouble(page, { record: true });
  const events = answer.trim().split("\n");
  expect(events.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
    "response",
    "end",
    "recording",
  ]);
  expect(events[0]).toContain('"elements":[2,4]');
  running.child.kill("SIGINT");
  expect(await running.ended).toMatchObject({ code: 0, out: "" });
});

/** Sends a request from the page to `double`, and returns the answer as text. */
const runDouble = async (page: string, more: object, signal: AbortSignal | null = null): Promise<string> => {
  const body = '{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}]}';
  const head = JSON.stringify({ model: "double", headerLength: body.length, ...more });
  const answer = await fetch(`${page}/api/run`, { method: "POST", body: `${head}\n${body}`, signal });
  return answer.text();
};

test("headers are sent to their server with every request, and to no other server", async () => {
  const secret = "s3cr3t";
  const seen = { one: new Set<string | undefined>(), other: new Set<string | undefined>() };
  const seenBy = (set: Set<string | undefined>) =>
    serve(plain, ({ headers }) => void set.add(headers.authorization));
  const [url, other] = [await seenBy(seen.one), await seenBy(seen.other)];
  const login = ["--header", "Authorization: Bearer ${TOKEN}"];
  const running = startPipeline(
    nowhere,
    ["inspect", "--url", url, ...login, "--model", "double", "--port", "0", "--compare-url", other],
    { env: { TOKEN: secret } },
  );
  const [, page = ""] = await running.says(/^inspecting \S+ at (\S+)/);
  const overview = await (await fetch(`${page}/api/overview`)).text();
  expect(overview).toContain("Requests carry Authorization, which the programs on this page leave out.");
  const texts = [
    overview,
    await (await fetch(`${page}/api/model/double`)).text(),
    await runDouble(page, { record: true }),
    await runDouble(page, { record: true, other: true }),
  ];
  expect(texts[3]).toContain('"elements":[2,4]');
  running.child.kill("SIGINT");
  const { out, err } = await running.ended;
  expect([...texts, out, err].join("\n")).not.toContain(secret);
  expect([...seen.one]).toEqual([`Bearer ${secret}`]);
  expect([...seen.other]).toEqual([undefined]);
});

/** A gRPC server that refuses every request. Returns its address, and the logins that it has seen. */
const refusing = async () => {
  const seen: (string | undefined)[] = [];
  const server = createHttp2Server();
  server.on("stream", (stream, { authorization }) => {
    seen.push(authorization);
    stream.respond({ ":status": 200, "grpc-status": "12", "grpc-message": "refused" }, { endStream: true });
  });
  const port = await listen(server);
  onTestFinished(() => void server.close());
  return { seen, address: `127.0.0.1:${port}` };
};

test("a model that streams gets the headers as metadata, and the other server gets its own", async () => {
  const config = {
    name: "double",
    input: [{ name: "x", data_type: "TYPE_FP32", dims: [-1, 2] }],
    output: [{ name: "y", data_type: "TYPE_FP32", dims: [-1, 2] }],
    model_transaction_policy: { decoupled: true },
  };
  const streaming = { ...plain, "GET /v2/models/double/config": config };
  const [url, other] = [await serve(streaming), await serve(streaming)];
  const [one, another] = [await refusing(), await refusing()];
  const running = startPipeline(
    nowhere,
    [
      ["inspect", "--url", url, "--grpc-url", one.address, "--header", "Authorization: Bearer ${TOKEN}"],
      ["--compare-url", other, "--compare-grpc-url", another.address],
      ["--compare-header", "Authorization: Bearer ${OTHER}", "--model", "double", "--port", "0"],
    ].flat(),
    { env: { TOKEN: "s3cr3t", OTHER: "h1dd3n" } },
  );
  const [, page = ""] = await running.says(/^inspecting \S+ at (\S+)/);
  await (await fetch(`${page}/api/overview`)).text();
  const texts = [
    await runDouble(page, {}),
    await runDouble(page, { record: true }),
    await runDouble(page, { other: true }),
  ];
  expect(texts.map((text) => text.includes("refused"))).toEqual([true, true, true]);
  running.child.kill("SIGINT");
  const { out, err } = await running.ended;
  expect([one.seen, another.seen]).toEqual([["Bearer s3cr3t", "Bearer s3cr3t"], ["Bearer h1dd3n"]]);
  expect([...texts, out, err].join("\n")).not.toMatch(/s3cr3t|h1dd3n/);
});

test.each([false, true])(
  "a request that the page abandons is cancelled on the server (by steps: %s)",
  async (record) => {
    const slow = new EventEmitter();
    const url = await answerHttp((request, response) => {
      if (request.url?.endsWith("/infer") === true) slow.emit("inference", response);
      else response.end(JSON.stringify(request.url === "/v2" ? plain["GET /v2"] : double));
    });
    const running = startPipeline(nowhere, ["inspect", "--url", url, "--model", "double", "--port", "0"]);
    const [, page = ""] = await running.says(/^inspecting \S+ at (\S+)/);
    const inference = once(slow, "inference") as Promise<[ServerResponse]>;
    const stop = new AbortController();
    const answer = expect(runDouble(page, { record }, stop.signal)).rejects.toThrow("aborted");
    const [response] = await inference;
    const closed = once(response, "close");
    stop.abort();
    await closed;
    expect(response.writableEnded).toBe(false);
    await answer;
  },
  60_000,
);

test("for a server that lists nothing, the names of the models are required", async () => {
  const url = await serve(plain);
  const { code, err } = await pipeline(nowhere, ["inspect", "--url", url, "--port", "0"]);
  expect(code).toBe(1);
  expect(err).toContain(`the server at ${url} lists neither its models nor their statistics`);
  expect(err).toContain("name the models to show: --model <name>");
});

test.each<readonly [string, readonly string[] | (() => Promise<readonly string[]>), RegExp]>([
  ["no address", [], /`pipeline inspect` needs a server/],
  ["an address that is not one", ["--url", "ftp://x"], /--url is ftp:\/\/x/],
  [
    "an address with a password",
    ["--url", "http://me:hidden@localhost"],
    /--url contains a user name or a password\n[^]*--header/,
  ],
  [
    "a header without a value in the environment",
    ["--url", "localhost:1", "--header", "x: ${NO_SUCH_VARIABLE}"],
    /--header x: the environment variable NO_SUCH_VARIABLE is not set/,
  ],
  [
    "a silent port",
    async () => ["--url", `127.0.0.1:${await freePort()}`],
    /no server answers at http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/,
  ],
  [
    "a web page",
    async () => ["--url", await serve({ "GET /v2": "<html>\n</html>" })],
    /http:\S+ is not a KServe v2 server: the server's answer cannot be read/,
  ],
  [
    "another API",
    async () => ["--url", await serve({})],
    /http:\S+ is not a KServe v2 server: the server answered 404: Not Found/,
  ],
  [
    "metrics that are not there",
    async () => ["--url", await serve(plain), "--metrics-url", await serve({})],
    /no metrics at http:\S+\/metrics: the server answered 404/,
  ],
  [
    "a model that the server does not have",
    async () => {
      const index = [{ name: "double", version: "3", state: "READY" }];
      const url = await serve({ ...plain, "POST /v2/repository/index": index });
      return ["--url", url, "--model", "double", "--model", "dubble"];
    },
    /there is no model `dubble`\n[^]*did you mean `double`\?/,
  ],
  [
    "a port in use",
    async () => {
      const url = await serve(plain);
      return ["--url", url, "--model", "double", "--port", new URL(url).port];
    },
    /port \d+ .* in use[^]*--port/,
  ],
])("%s is an error", async (_, options, message) => {
  const given = typeof options === "function" ? await options() : options;
  const { code, out, err } = await pipeline(nowhere, ["inspect", ...given]);
  expect(err).toMatch(message);
  expect([code, out]).toEqual([2, ""]);
});
