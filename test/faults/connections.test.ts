import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { addModel, rowFiles } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { type TemporaryFolder, temporaryFolder } from "../triton/judge.ts";
import { sendRaw } from "../triton/raw-request.ts";

let folder: TemporaryFolder;
let runtime: Runtime;
let server: HttpServer;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  writeFiles(repository, rowFiles("next", addModel(1, "batch", 1), 1));
  runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice: () => {} });
});
beforeEach(async () => {
  server = await serveHttp(runtime, { port: 0, maxBodyBytes: 10_000 });
  const { close } = server;
  return close;
});
afterAll(async () => {
  await runtime.close();
  await folder.remove();
});

const body = JSON.stringify({ inputs: [{ name: "X", datatype: "FP32", shape: [1, 1], data: [1] }] });
const head = (length: number, more = ""): string =>
  `POST /v2/models/next/infer HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: ${length}\r\n\r\n`;
const path = "/v2/models/next/infer";

const opened = async (host = "127.0.0.1"): Promise<Socket> => {
  const socket = connect(server.port, host);
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
};
/** The bytes received until they match a pattern or the server closes the connection. */
const received = async (socket: Socket, until: RegExp): Promise<string> => {
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    if (until.test(text)) break;
  }
  return text;
};
const works = async (): Promise<void> => {
  const { status, body: answer } = await sendRaw(server.url, { path, body });
  expect([status, String(answer)]).toEqual([200, expect.stringContaining('"data":[2.0]')]);
};

test("a request that arrives byte by byte is answered", async () => {
  const socket = await opened();
  const answer = received(socket, /\]\}$/);
  for (const char of head(body.length) + body) {
    socket.write(char);
    await sleep(1);
  }
  expect(await answer).toMatch(/^HTTP\/1\.1 200 OK[^]*"data":\[2\.0\]/);
});

test("200 requests that stop halfway delay neither answers nor shutdown", async () => {
  const sockets = await Promise.all(Array.from({ length: 200 }, () => opened()));
  for (const [i, socket] of sockets.entries())
    socket.write((head(body.length) + body).slice(0, 5 + ((i * 7) % (head(body.length).length + 20))));
  await works();
  const closed = Promise.all(sockets.map((socket) => once(socket, "close")));
  for (const socket of sockets) socket.resume();
  await server.close();
  await closed;
}, 20_000);

test("a connection that is half-closed after its request leaves nothing behind", async () => {
  for (let i = 0; i < 50; i++) {
    const socket = await opened();
    const answer = received(socket, /never/);
    socket.end(head(body.length) + body);
    expect(await answer).toMatch(/^$|^HTTP\/1\.1 200 OK/);
  }
  await works();
  expect(runtime.statistics("next")[0]).toMatchObject({ pending: 0 });
});

test("a request whose body is shorter than its Content-Length is not run", async () => {
  const socket = await opened();
  socket.end(head(body.length + 10) + body);
  expect(await received(socket, /never/)).toMatch(/^$|^HTTP\/1\.1 400/);
  await works();
});

test("a body longer than its Content-Length is refused", async () => {
  const socket = await opened();
  socket.write(head(body.length - 2) + body);
  expect(await received(socket, /400 Bad Request/)).toMatch(/400 Bad Request/);
  await works();
});

test("two requests in one packet get two answers, in order", async () => {
  const socket = await opened();
  const second = body.replace("[1]}", "[5]}").replace('"data":[1]', '"data":[5]');
  socket.write(head(body.length) + body + head(second.length) + second);
  const text = await received(socket, /\[6\.0\]\}\]\}$/);
  expect(text.match(/"data":\[\d\.0\]/g)).toEqual(['"data":[2.0]', '"data":[6.0]']);
});

test("1,000 idle connections delay neither answers nor shutdown", async () => {
  const sockets = await Promise.all(Array.from({ length: 1000 }, () => opened()));
  await works();
  const used = sockets.filter((_, i) => i % 100 === 0);
  const answers = used.map((socket) => received(socket, /\]\}$/));
  for (const socket of used) socket.write(head(body.length) + body);
  for (const text of await Promise.all(answers)) expect(text).toMatch(/^HTTP\/1\.1 200/);
  const closed = Promise.all(
    sockets.map(async (socket) => {
      if (!socket.destroyed) await once(socket, "close");
    }),
  );
  for (const socket of sockets) socket.resume();
  await server.close();
  await closed;
}, 20_000);

test.each([
  ["a header of 100 kB", head(body.length, `X-Long: ${"x".repeat(100_000)}\r\n`) + body],
  ["10,000 headers", head(body.length, "X-Many: 1\r\n".repeat(10_000)) + body],
  ["a path of 100 kB", `GET /v2/${"x".repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ["no HTTP", "\u0016\u0003\u0001\u0002 hello\r\n\r\n"],
  ["another version", "GET /v2/health/live HTTP/9.9\r\nHost: localhost\r\n\r\n"],
  ["two lengths", head(body.length, "Content-Length: 3\r\n") + body],
  ["a length and chunks", head(body.length, "Transfer-Encoding: chunked\r\n") + body],
  ["a length below 0", head(-5) + body],
  ["a body beyond the limit", head(10_001) + "x".repeat(10_001)],
])("%s is refused", async (_, text) => {
  const socket = await opened();
  socket.write(text);
  expect(await received(socket, /\}$/)).toMatch(/^HTTP\/1\.1 400 Bad Request[^]*\{"error":/);
  await works();
});

test("the server is only reachable through 127.0.0.1, unless configured otherwise", async () => {
  const grpc = await serveGrpc(runtime, { port: 0 });
  onTestFinished(() => grpc.close());
  expect([server.url, grpc.address]).toEqual([`http://127.0.0.1:${server.port}`, `127.0.0.1:${grpc.port}`]);
  for (const port of [server.port, grpc.port]) {
    const socket = connect(port, "127.0.0.2");
    const [error] = (await once(socket, "error")) as [{ readonly code: string }];
    expect(error.code).toBe("ECONNREFUSED");
  }
});
