import { createServer, request as forward } from "node:http";
import { connect, createServer as createHttp2Server, type IncomingHttpHeaders } from "node:http2";
import type { Server } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { listen } from "../fixtures/listen.ts";
import { doubleModel } from "../fixtures/models.ts";
import { makeProject } from "../fixtures/project.ts";
import { pipeline } from "./run-pipeline.ts";
import { serveHere } from "./served-dev.ts";
import { pipelineSource } from "./small-project.ts";

const secret = "s3cr3t";
const env = { TOKEN: secret };
const bearer = "Authorization: Bearer ${TOKEN}";
const login = ["--header", bearer];

const built = makeProject({
  "pipeline.ts": pipelineSource.replace(
    "maxBatchSize: 8,",
    'maxBatchSize: 8,\n  warmup: [{ name: "ones", inputs: { x: [[1, 1, 1, 1]] } }],',
  ),
  "models/double.onnx": doubleModel(),
});
beforeAll(async () => expect(await pipeline(built, ["build"])).toMatchObject({ code: 0 }));
afterAll(() => built.remove());

const listening = async (server: Server): Promise<string> => {
  onTestFinished(() => void server.close());
  return `127.0.0.1:${await listen(server)}`;
};

/** The addresses of proxies that refuse every request without the login, and how many they refused. */
const behindLogin = async (http: string, grpc: string) => {
  const refused = { http: 0, grpc: 0 };
  const allowed = ({ authorization }: IncomingHttpHeaders): boolean => authorization === `Bearer ${secret}`;

  const httpProxy = createServer((request, response) => {
    const { url = "", method, headers } = request;
    if (!allowed(headers)) {
      refused.http++;
      response.writeHead(401).end('{"error":"no login"}');
      return;
    }
    request.pipe(
      forward(new URL(url, http), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }),
    );
  });

  const session = connect(`http://${grpc}`);
  onTestFinished(() => session.destroy());
  const grpcProxy = createHttp2Server();
  grpcProxy.on("stream", (stream, headers) => {
    if (!allowed(headers)) {
      refused.grpc++;
      stream.respond(
        { ":status": 200, "grpc-status": "16", "grpc-message": "no login" },
        { endStream: true },
      );
      return;
    }
    const { ":path": path = "", "content-type": type = "" } = headers;
    const answer = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": type,
      te: "trailers",
    });
    stream.pipe(answer);
    let trailers: IncomingHttpHeaders = {};
    answer.on("trailers", (last) => (trailers = last));
    answer.on("response", ({ ":status": status, ...head }) => {
      stream.respond({ ...head, ":status": status }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers(trailers));
      answer.pipe(stream);
    });
    stream.on("error", () => answer.destroy());
    answer.on("error", () => stream.destroy());
  });
  return { refused, url: `http://${await listening(httpProxy)}`, grpcUrl: await listening(grpcProxy) };
};

test("headers are sent with every request of every command, and are not printed", async () => {
  const control = ["--model-control-mode", "explicit", "--load-model", "*"];
  const dev = await serveHere(built, ["--no-watch", ...control]);
  const { url, grpcUrl, refused } = await behindLogin(dev.url, dev.address);

  const triton = ["--triton-url", url, "--triton-grpc", grpcUrl];
  const rate = ["--rate", "100/s"];
  const once = [...rate, "--seconds", "0.2", "--warm", "0.1"];
  const commands: readonly (readonly string[])[] = [
    ["run", "total", "-i", "x=[[1,2,3,4]]", "--url", url],
    ["smoke", "--url", url, "--repeats", "1"],
    ["bench", "total", "--url", url, "--grpc-url", grpcUrl, ...once],
    ["verify", "--no-python", "--no-generated", "--steps", ...triton],
    ["tune", "--target", "latency", ...rate, "--seconds", "0.1", "--cores", "1", "--runs", "2", "--url", url],
  ];
  for (const command of commands) {
    const { code, out, err } = await pipeline(built, [...command, ...login], { env });
    expect([command[0], code, err]).toEqual([command[0], 0, err]);
    expect(out + err).not.toContain(secret);
  }
  for (const variants of [
    [url, "--reference-header", bearer],
    [".", url, "--candidate-header", bearer],
  ]) {
    const { code, out, err } = await pipeline(built, ["drift", ...variants], { env });
    expect([variants, code, err]).toEqual([variants, 0, err]);
    expect(out + err).not.toContain(secret);
  }
  expect(refused).toEqual({ http: 0, grpc: 0 });

  const without = await pipeline(built, ["bench", "total", "--url", url, "--grpc-url", grpcUrl, ...once]);
  expect(without).toMatchObject({ code: 1, err: expect.stringContaining("no login") });
}, 240_000);

test.each([
  [["bench", "total", ...login], "--header needs --url or --grpc-url"],
  [["tune", "--target", "latency", ...login], "--header needs --url"],
  [["verify", ...login], "--header needs --triton-url"],
  [["run", "total", ...login], "--header needs --url"],
  [["dev", "--compare-header", bearer], "--compare-header needs --compare-url"],
  [["drift", "build", "--reference-header", bearer], "--reference-header needs a reference that is a server"],
  [
    ["drift", "http://127.0.0.1:1", "--candidate-header", bearer],
    "--candidate-header needs a candidate that is a server",
  ],
  [
    ["bench", "total", "--url", "https://a.example", "--grpc-url", "a.example:8001", ...login],
    "--header would be sent to a.example:8001 without encryption",
  ],
  [
    ["inspect", "--url", "https://a.example", "--grpc-url", "a.example:8001", ...login],
    "--header would be sent to a.example:8001 without encryption",
  ],
  [
    [
      ["dev", "--compare-url", "https://a.example", "--compare-grpc-url", "a.example:8001"],
      ["--compare-header", bearer],
    ].flat(),
    "--compare-header would be sent to a.example:8001 without encryption",
  ],
  [
    ["verify", "--triton-url", "https://a.example:8000", ...login],
    "--header would be sent to a.example:8001 without encryption",
  ],
])("the headers of %j are refused", async (args, message) => {
  expect(await pipeline(built, args, { env })).toMatchObject({
    code: 2,
    err: expect.stringContaining(message),
  });
});
