import { tensorOf } from "@tritype/core";
import { serveHttp } from "@tritype/server";
import { afterAll, describe, expect, it } from "vitest";
import { answerHttp } from "../../../test/fixtures/listen.ts";
import { adder, echoes, type MemoryModel, memoryRuntime } from "../../server/src/memory-runtime.fixture.ts";
import { clientCases } from "./client.cases.ts";
import { httpClient } from "./http-client.ts";

const never: MemoryModel = { ...adder, name: "never", run: () => new Promise(() => undefined) };
const server = await serveHttp(memoryRuntime([adder, ...echoes, never]), { port: 0 });
const { url } = server;

clientCases("httpClient against serveHttp", {
  open: (options) => httpClient(url, options),
  echo: (dtype) => `echo_${dtype.toLowerCase()}`,
});

describe("httpClient", () => {
  const inputs = new Map(["INPUT0", "INPUT1"].map((name) => [name, tensorOf("FP32", [2, 2], [1, 2, 3, 4])]));

  it("keeps the batch", async () => {
    const outputs = await httpClient(`${url}/`).infer({ model: "add", inputs });
    expect(outputs.get("OUTPUT")).toEqual(tensorOf("FP32", [2, 2], [2, 4, 6, 8]));
  });

  it("sends and receives 20 MB", async () => {
    const big = tensorOf("INT32", [1, 1], [7]);
    const data = new Uint8Array(20_000_000).fill(5);
    const x = { ...big, shape: [1, 5_000_000], data } as const;
    const outputs = await httpClient(url).infer({
      model: "echo_int32",
      inputs: new Map([["INPUT", x as never]]),
    });
    expect(Buffer.compare(outputs.get("OUTPUT")?.data as Uint8Array, data)).toBe(0);
  });

  it("gives up after the timeout", async () => {
    const call = httpClient(url, { timeoutMs: 50 }).infer({ model: "never", inputs });
    await expect(call).rejects.toMatchObject({
      code: "server/unreachable",
      message: `${url}/v2/models/never/infer did not answer within 50 ms`,
    });
  });

  it("cancels an aborted request", async () => {
    const reason = { code: "request/cancelled", message: `the request to ${url} was cancelled` };
    const abort = new AbortController();
    const call = httpClient(url, { timeoutMs: 60_000 }).infer({ model: "never", inputs }, abort.signal);
    abort.abort();
    await expect(call).rejects.toMatchObject(reason);
    await expect(
      httpClient(url).infer({ model: "never", inputs }, AbortSignal.abort()),
    ).rejects.toMatchObject(reason);
  });

  it("sends headers only to its own server", async () => {
    const seen: [string, string | undefined][] = [];
    const seeing = (name: string, answer: (url: string) => [number, Record<string, string>]) =>
      answerHttp(({ url: path = "", headers }, response) => {
        seen.push([`${name}${path}`, headers["x-api-key"] as string | undefined]);
        response.writeHead(...answer(path)).end();
      });
    const elsewhere = await seeing("elsewhere", () => [200, {}]);
    const own = await seeing("own", (path) =>
      path === "/v2" ? [302, { Location: `${elsewhere}/v2` }] : [200, {}],
    );
    const client = httpClient(own, { headers: { "X-API-Key": "secret" } });
    expect(await client.ready()).toBe(true);
    await expect(client.serverMetadata()).rejects.toThrow("the server answered 302 without a reason");
    expect(seen).toEqual([
      ["own/v2/health/ready", "secret"],
      ["own/v2", "secret"],
    ]);
  });

  it.each([
    "../repository/models/embed/unload?",
    "a/b",
    "a\\b",
    "a?b",
    "a#b",
    "a%2Fb",
    ".",
    "..",
    "%2e%2E",
    ".%2e",
    ".\t.",
    " .. ",
  ])("sends nothing for the name %j", async (name) => {
    const paths: (string | undefined)[] = [];
    const other = await answerHttp((request, response) => {
      paths.push(request.url);
      response.end("{}");
    });
    const client = httpClient(other);
    for (const call of [
      client.infer({ model: name, inputs }),
      client.infer({ model: "add", version: name, inputs }),
      client.modelConfig(name),
      client.modelMetadata(name),
    ])
      await expect(call).rejects.toMatchObject({ code: "request/invalid" });
    expect(paths).toEqual([]);
  });

  it.each(["...", ".hidden", "a..b", "50%"])("sends the name %j unchanged", async (name) => {
    await expect(httpClient(url).infer({ model: name, inputs })).rejects.toMatchObject({
      code: "model/not-found",
      message: expect.stringContaining(`'${name}'`),
    });
  });

  it("reports that no server answers", async () => {
    const gone = await serveHttp(memoryRuntime([]), { port: 0 });
    await gone.close();
    const client = httpClient(gone.url);
    expect(await client.live()).toBe(false);
    await expect(client.serverMetadata()).rejects.toMatchObject({
      code: "server/unreachable",
      message: expect.stringContaining(`no server answers at ${gone.url}: connect ECONNREFUSED`),
    });
  });

  it.each([
    ["<html>no</html>", 502, "model/failed", "<html>no</html>"],
    ["", 503, "model/unavailable", "the server answered 503 without a reason"],
    ['{"name":1}', 200, "request/malformed", /^the server's answer cannot be read: /],
    ["<html>", 200, "request/malformed", /^the server's answer cannot be read: /],
  ])("interprets %j with %i correctly", async (body, status, code, message) => {
    const client = httpClient(await answerHttp((_, response) => response.writeHead(status).end(body)));
    await expect(client.serverMetadata()).rejects.toMatchObject({
      code,
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
  });
});

afterAll(async () => {
  // "never" is still running, so a graceful close would wait for it.
  void server.close();
});

it("a port that fetch blocks is named as the reason", async () => {
  await expect(httpClient("http://127.0.0.1:1").serverMetadata()).rejects.toMatchObject({
    message: "no server answers at http://127.0.0.1:1: Node and browsers block requests to this port",
    help: "check the address, or let the server listen on another port, such as 8000",
  });
});
