import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "./free-port.ts";
import { pipeline, startPipeline } from "./run-pipeline.ts";

const nowhere = { root: process.cwd() };

/** A server with these answers by `GET /path`, and 404 for everything else; its address. */
const serve = async (answers: Readonly<Record<string, object | string>>): Promise<string> => {
  const server: Server = createServer((request, response) => {
    const answer = answers[`${request.method} ${request.url}`];
    response.writeHead(answer === undefined ? 404 : 200);
    response.end(
      answer === undefined
        ? '{"error":"Not Found"}'
        : typeof answer === "string"
          ? answer
          : JSON.stringify(answer),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

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
      "A server's API does not provide source lines, model files or the tensors inside a request, so this page does not show them.",
      "This server has no statistics, so there are no live figures.",
      "This server does not list its models, so the page only shows those whose names it knows.",
    ],
    tensors: false,
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
  const body = '{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}]}';
  const head = JSON.stringify({ model: "double", headerLength: body.length, record: true });
  const answer = await (await fetch(`${page}/api/run`, { method: "POST", body: `${head}\n${body}` })).text();
  const events = answer.trim().split("\n");
  expect(events.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(["response", "end"]);
  expect(events[0]).toContain('"elements":[2,4]');
  running.child.kill("SIGINT");
  expect(await running.ended).toMatchObject({ code: 0, out: "" });
});

test("a server that lists nothing needs the names of its models", async () => {
  const url = await serve(plain);
  const { code, err } = await pipeline(nowhere, ["inspect", "--url", url, "--port", "0"]);
  expect(code).toBe(1);
  expect(err).toContain(`the server at ${url} lists neither its models nor their statistics`);
  expect(err).toContain("name the models to show: --model <name>");
});

test.each<readonly [string, readonly string[] | (() => Promise<readonly string[]>), RegExp]>([
  ["no address", [], /no server is named/],
  ["an address that is not one", ["--url", "ftp://x"], /--url is ftp:\/\/x/],
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
  ["another API", async () => ["--url", await serve({})], /http:\S+ is not a KServe v2 server: Not Found/],
  [
    "metrics that are not there",
    async () => ["--url", await serve(plain), "--metrics-url", await serve({})],
    /no metrics at http:\S+\/metrics: the server answered 404/,
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
