import { once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import type { CancelSignal, Runtime } from "@tritype/runtime";
import { afterAll, describe, expect, it } from "vitest";
import { defer } from "../../runtime/src/python/deferred.ts";
import { adder, type MemoryModel, memoryRuntime } from "./memory-runtime.fixture.ts";
import { serveHttp } from "./serve-http.ts";
import { add, error, infer, limit, serveTest } from "./test-server.fixture.ts";

const { server, call, internal } = await serveTest();
afterAll(() => server.close());

describe("the connection", () => {
  const tooLong = (size: number): string =>
    error(
      `request JSON size of ${size} bytes exceeds the maximum allowed input size of ${limit} bytes. Use --http-max-input-size to increase the limit.`,
    );

  it("answers a request whose declared body is too long while the client is still sending, and continues serving", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const size = 8_000_000;
    const reply = await call(infer("add"), { body: Buffer.alloc(size) }, agent);
    expect([reply.status, reply.body.toString()]).toEqual([400, tooLong(size)]);
    expect((await call(infer("add"), { body: add({}) }, agent)).status).toBe(200);
    agent.destroy();
  });

  it("answers a request whose chunked body is too long", async () => {
    const reply = await call(infer("add"), {
      body: Buffer.alloc(50_000),
      headers: { "Transfer-Encoding": "chunked" },
    });
    expect(reply.status).toBe(400);
    expect(reply.body.toString()).toMatch(/exceeds the maximum allowed input size of 4096 bytes/);
  });

  it("answers a request whose announced body is too long for Node, regardless of the limit", async () => {
    const open = await serveHttp(memoryRuntime([adder]), { port: 0, maxBodyBytes: 2 ** 40 });
    const socket = connect(open.port, "127.0.0.1");
    socket.write(`POST ${infer("add")} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${2 ** 33}\r\n\r\n{`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toContain("400 Bad Request");
    expect(answer.toString()).toContain(
      "request JSON size of 8589934592 bytes exceeds the maximum allowed input size of 4294967296 bytes. This server cannot hold larger ones.",
    );
    socket.destroy();
    await open.close();
  });

  it.each([
    ["GET /v2/health/ready HTTP/1.1", /^HTTP\/1\.1 200 OK/],
    ["POST /v2/repository/index HTTP/1.1\r\nContent-Length: 0", /"name":"add"/],
  ])("answers %j of a client that closes its sending side", async (head, answer) => {
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.end(`${head}\r\nHost: localhost\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(answer);
  });

  it("answers bytes that are not HTTP", async () => {
    const socket = connect(server.port, "127.0.0.1");
    socket.end("hello\r\n\r\n");
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 400 .*\{"error":"Bad Request"\}$/s);
  });

  it("survives clients that disconnect in the middle of a request", async () => {
    for (const text of [
      "POST /v2/models/add/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
      "GET /v2 HT",
    ]) {
      const socket = connect(server.port, "127.0.0.1");
      await once(socket, "connect");
      await new Promise((sent) => socket.write(text, sent));
      // The server has begun to read once it answers a later request.
      expect((await call("/v2")).status).toBe(200);
      socket.destroy();
      await once(socket, "close");
    }
    expect((await call("/v2")).status).toBe(200);
    expect(internal).toEqual([]);
  });

  it("keeps the connection open", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const replies = await Promise.all([
      call("/v2", {}, agent),
      call("/nope", {}, agent),
      call("/v2", {}, agent),
    ]);
    expect(replies.map((reply) => reply.status)).toEqual([200, 404, 200]);
    expect(replies.map((reply) => reply.headers["connection"])).toEqual([
      "keep-alive",
      "keep-alive",
      "keep-alive",
    ]);
    agent.destroy();
  });

  it("reports which port is in use", async () => {
    const attempt = serveHttp(memoryRuntime([]), { port: server.port });
    await expect(attempt).rejects.toMatchObject({
      code: "port/in-use",
      message: `port ${server.port} on 127.0.0.1 is in use`,
      help: `stop the program that uses port ${server.port}, or choose another port with --http-port`,
    });
  });

  it("notices that a client with several requests on one connection disconnects", async () => {
    const asked: CancelSignal[] = [];
    const runtime = { ...memoryRuntime([adder]), infer: neverAnswers(asked) };
    const other = await serveHttp(runtime, { port: 0 });
    const socket = connect(other.port, "127.0.0.1");
    const body = add({});
    const head = `POST ${infer("add")} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write((head + body).repeat(3));
    await expect.poll(() => asked.length).toBe(3);
    socket.destroy();
    await expect.poll(() => asked.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    await other.close();
  });

  it("finishes running requests before it closes", async () => {
    const [began, gate] = [defer<void>(), defer<void>()];
    const slow: MemoryModel = {
      ...adder,
      name: "slow",
      run: (inputs) => {
        began.resolve();
        return gate.promise.then(() => adder.run(inputs));
      },
    };
    const other = await serveHttp(memoryRuntime([slow]), { port: 0 });
    const answer = fetch(`${other.url}${infer("slow")}`, { method: "POST", body: add({}) });
    await began.promise;
    let closed = false;
    const closing = other.close().then(() => {
      closed = true;
    });
    await expect(fetch(`${other.url}/v2`)).rejects.toThrow();
    expect(closed).toBe(false);
    gate.resolve();
    expect((await answer).status).toBe(200);
    await closing;
    expect(closed).toBe(true);
  });
});

const neverAnswers =
  (asked: CancelSignal[]): Runtime["infer"] =>
  (_, signal) => {
    if (signal !== undefined) asked.push(signal);
    return new Promise(() => {});
  };
