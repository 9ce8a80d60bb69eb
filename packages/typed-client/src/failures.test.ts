import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { freePort } from "../../../test/cli/free-port.ts";
import { answerHttp, listen } from "../../../test/fixtures/listen.ts";
import type { Contract, Tensor, TensorType } from "./contract.ts";
import { createHttpClient, type HttpOptions } from "./create-http-client.ts";

const contract: Contract<Record<string, unknown>, Record<string, Tensor>> = {
  name: "m",
  hash: "abc",
  inputs: { x: { dtype: "INT32", dims: ["batch", 2] } },
  outputs: { y: { dtype: "INT32", dims: ["batch", 2] } },
};
const config = { parameters: { tritype_contract: { string_value: "abc" } } };
const right = Uint8Array.of(
  ...new TextEncoder().encode(
    '{"model_name":"m","model_version":"1","outputs":[{"name":"y","datatype":"INT32","shape":[1,2],"parameters":{"binary_data_size":8}}]}',
  ),
  1,
  0,
  0,
  0,
  2,
  0,
  0,
  0,
);
const rightHeaders = { "Inference-Header-Content-Length": String(right.byteLength - 8) };

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const json =
  (body: unknown, status = 200, headers = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify(body));
const answer: Answer = (response) => void response.writeHead(200, rightHeaders).end(right);
const never: Answer = () => undefined;
const die: Answer = (response) => void response.socket?.destroy();
const reset: Answer = (response) => void response.socket?.resetAndDestroy();
const dieInBody: Answer = (response) => {
  response.writeHead(200, { ...rightHeaders, "Content-Length": String(right.byteLength) });
  response.write(right.subarray(0, 20), () => response.socket?.destroy());
};

/** A server that sends these answers in turn and repeats the last one forever, and the requests that it received. */
const serve = async (infer: readonly Answer[], describe: readonly Answer[] = [json(config)]) => {
  const asked = { config: 0, infer: 0, ready: 0 };
  const url = await answerHttp((request, response) => {
    request.resume().once("end", () => {
      const path = request.url ?? "";
      if (path.endsWith("/ready")) response.writeHead(++asked.ready > 0 ? 200 : 400).end();
      else {
        const kind = path.endsWith("/infer") ? "infer" : "config";
        const answers = kind === "infer" ? infer : describe;
        (answers[asked[kind]++] ?? answers.at(-1))?.(response, request);
      }
    });
  });
  return { url, asked };
};
const open = (url: string, options: Partial<HttpOptions> = {}) =>
  createHttpClient({ url, ensemble: contract, backoff: () => 0, ...options });
const x = { x: [[1, 2]] };

describe("a call that fails", () => {
  it("unreachable: no server listens, and all retries have failed", async () => {
    const port = await freePort();
    const nobody = `http://127.0.0.1:${port}`;
    const waits: number[] = [];
    const client = open(nobody, { backoff: (retry) => (waits.push(retry), 0) });
    await expect(client.infer(x)).rejects.toMatchObject({
      name: "ClientError",
      kind: "unreachable",
      mayHaveRun: false,
      message: `no server answers at ${nobody}: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
    expect(waits).toEqual([1, 2]);
    expect(await client.ready()).toBe(false);
  });

  it("lost: the server dies during the first request on a connection; the inference is not sent twice", async () => {
    const { url, asked } = await serve([die, answer]);
    await expect(open(url, { checkContract: false }).infer(x)).rejects.toMatchObject({
      kind: "lost",
      mayHaveRun: true,
      message: `the connection to ${url} ended before the answer was complete: other side closed (if the server at this port uses TLS; use https://)`,
    });
    expect(asked.infer).toBe(1);
  });

  it("lost: the answer ends early", async () => {
    const { url } = await serve([dieInBody]);
    await expect(open(url).infer(x)).rejects.toMatchObject({ kind: "lost", mayHaveRun: true });
  });

  it("refused: the server's message and status", async () => {
    const { url, asked } = await serve([json({ error: "[request id: 7] no" }, 400)]);
    await expect(open(url).infer(x)).rejects.toMatchObject({
      kind: "refused",
      status: 400,
      message: `${url}/v2/models/m/infer answers 400: [request id: 7] no`,
    });
    expect(asked.infer).toBe(1);
  });

  it.each<[string, number, boolean]>([
    [
      "[request id: 7] unexpected shape for input 'x' for model 'm'. Expected [-1,2], got [1,3]. ",
      400,
      false,
    ],
    ["inference request batch-size must be <= 4 for 'm'", 400, false],
    ["Request for unknown model: 'm' is not found", 404, false],
    ["Server is stopping, scheduler for model has stopped accepting new inference requests", 503, false],
    [
      "in ensemble 'm', unexpected shape for input 'x' for model 'n'. Expected [-1,2], got [1,3]. ",
      400,
      true,
    ],
    ["in ensemble 'm', Exceeds maximum queue size", 503, true],
    ["request JSON size of 9 bytes exceeds the maximum allowed input size of 8 bytes.", 400, false],
    ["the proxy's own message", 413, false],
    ["the model's own message", 400, true],
    ["the model's own message", 500, true],
  ])("refused: whether `%s` (%i) may be sent after a run: %s", async (words, status, mayHaveRun) => {
    const { url } = await serve([json({ error: words }, status)]);
    await expect(open(url, { retries: 0 }).infer(x)).rejects.toMatchObject({ kind: "refused", mayHaveRun });
  });

  it("a failed call has not run anything if only the contract was requested, whatever the outcome", async () => {
    for (const [answer, kind] of [
      [die, "lost"],
      [json({ error: "no" }, 404), "refused"],
      [json({ error: "no" }, 500), "refused"],
      [json([]), "malformed"],
      [never, "deadline"],
    ] as const) {
      const { url, asked } = await serve([], [answer]);
      const call = open(url).infer(x, { deadlineMs: 500 });
      await expect(call).rejects.toMatchObject({ kind, mayHaveRun: false });
      expect(asked.infer).toBe(0);
    }
  });

  it("a failed call may have run if an earlier attempt may have run", async () => {
    const { url } = await serve([die, json({ error: "busy" }, 503)]);
    await expect(open(url, { retries: 1 }).infer(x, { idempotent: true })).rejects.toMatchObject({
      kind: "refused",
      mayHaveRun: true,
    });
  });

  it.each<[string, string, Answer]>([
    ["no JSON", "the server's answer cannot be read: SyntaxError: ", (response) => void response.end("{")],
    [
      "a web page",
      "/v2/models/m/infer is a web page, not a KServe server",
      (response) => void response.end("<html>"),
    ],
    ["no outputs", "the server's answer cannot be read: it has no outputs", json({})],
    [
      "no binary data",
      "the server's answer cannot be read: output `y` is not binary data",
      json({ outputs: [{ name: "y", datatype: "INT32", shape: [1, 2], data: [1, 2] }] }),
    ],
    [
      "too little data",
      "the server's answer cannot be read: the data of output `y` ends early",
      (response) => void response.writeHead(200, rightHeaders).end(right.subarray(0, -1)),
    ],
    [
      "another dtype",
      "output `y`: expected INT32[batch, 2], got FP32[1, 2]",
      json({
        outputs: [{ name: "y", datatype: "FP32", shape: [1, 2], parameters: { binary_data_size: 0 } }],
      }),
    ],
    ["another output", "the answer of m has no output `y`", json({ outputs: [] })],
    [
      "a size that does not match the shape",
      "output `y`: expected 8 bytes, got 0 bytes",
      json({
        outputs: [{ name: "y", datatype: "INT32", shape: [1, 2], parameters: { binary_data_size: 0 } }],
      }),
    ],
  ])("malformed: %s", async (_, message, wrong) => {
    const { url } = await serve([wrong]);
    await expect(open(url).infer(x)).rejects.toMatchObject({
      kind: "malformed",
      message: expect.stringContaining(message),
    });
  });

  it("deadline: the call's, or otherwise the client's; sent to the server in microseconds", async () => {
    const { url } = await serve([never]);
    await expect(open(url).infer(x, { deadlineMs: 300 })).rejects.toMatchObject({
      kind: "deadline",
      mayHaveRun: true,
      message: "no answer within 300 ms",
    });
    await expect(open(url, { deadlineMs: 300 }).infer(x)).rejects.toMatchObject({ kind: "deadline" });
    await expect(open(url).infer(x, { deadlineMs: 0 })).rejects.toMatchObject({ kind: "invalid" });
    let sent = "";
    const client = open(url, {
      fetch: async (input, init) => {
        if (init?.body !== undefined) sent = new TextDecoder().decode(init.body as Uint8Array);
        return fetch(input, init);
      },
    });
    await expect(client.infer(x, { deadlineMs: 2000 })).rejects.toMatchObject({ kind: "deadline" });
    expect(Number(/"timeout":(\d+)/.exec(sent)?.[1])).toBeGreaterThan(100_000);
  });

  it("deadline: the headers do not arrive", async () => {
    const { url, asked } = await serve([answer]);
    const client = open(url, { headers: () => new Promise(() => {}) });
    await expect(client.infer(x, { deadlineMs: 50 })).rejects.toMatchObject({
      kind: "deadline",
      mayHaveRun: false,
    });
    expect(asked).toMatchObject({ config: 0, infer: 0 });
  });

  it("headers may be asynchronous, and are requested for each request", async () => {
    const sent: unknown[] = [];
    const url = await answerHttp((request, response) => {
      sent.push(request.headers["authorization"]);
      request.resume().once("end", () => answer(response, request));
    });
    let count = 0;
    const headers = async () => ({ authorization: await Promise.resolve(`Bearer ${++count}`) });
    const client = open(url, { headers, checkContract: false });
    await client.infer(x);
    await client.infer(x);
    expect(sent).toEqual(["Bearer 1", "Bearer 2"]);
  });

  it("the error for an exceeded deadline has Triton's own message", async () => {
    const { url } = await serve([json({ error: "Request timeout expired" }, 503)]);
    await expect(open(url).infer(x)).rejects.toMatchObject({ kind: "deadline", mayHaveRun: false });
  });

  it("cancelled: while waiting", async () => {
    const { url } = await serve([never]);
    const controller = new AbortController();
    const call = open(url).infer(x, { signal: controller.signal });
    setTimeout(() => controller.abort(), 200);
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
  });

  it.each([
    ["HEADERS", "Headers Timeout Error"],
    ["BODY", "Body Timeout Error"],
  ])("lost: the limit of Node's fetch for the %s, which the error names", async (part, words) => {
    // As Node's fetch fails after 300 s.
    const cause = Object.assign(new Error(words), { code: `UND_ERR_${part}_TIMEOUT` });
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
    const client = open("http://127.0.0.1:8000", { fetch, checkContract: false });
    await expect(client.infer(x)).rejects.toMatchObject({
      kind: "lost",
      mayHaveRun: true,
      message: expect.stringMatching(
        /\(Node's fetch waits 300 s for data, regardless of `deadlineMs`; set `fetch` to one that waits longer\)$/,
      ),
    });
  });

  it("invalid: nothing is sent", async () => {
    const { url, asked } = await serve([answer]);
    const client = open(url);
    await expect(client.infer({ x: [[1]] })).rejects.toMatchObject({
      kind: "invalid",
      tensor: "x",
      expected: "INT32[batch, 2]",
      got: "[1, 1]",
    });
    await expect(client.infer(x, { outputs: ["z"] })).rejects.toMatchObject({
      kind: "invalid",
      message: "m has no output `z`; its outputs are y",
    });
    await expect(client.infer(x, { raw: ["y"] })).rejects.toMatchObject({ kind: "invalid" });
    await expect(client.infer({ x: { data: [1, 2], shape: [1n, 2n] } })).rejects.toMatchObject({
      kind: "invalid",
      got: "the shape [1n, 2n]",
    });
    for (const deadlineMs of ["100", Number.NaN, -1])
      await expect(client.infer(x, { deadlineMs: deadlineMs as number })).rejects.toMatchObject({
        kind: "invalid",
        message: expect.stringMatching(/^deadlineMs must be a number of milliseconds above 0, got /),
      });
    await expect(open(url, { headers: { "x-a": "ж" } }).infer(x)).rejects.toMatchObject({
      kind: "invalid",
      mayHaveRun: false,
      message: expect.stringMatching(/^the headers cannot be sent: /),
    });
    for (const retries of [-1, 1.5, "2" as unknown as number])
      expect(() => open(url, { retries })).toThrow(/^retries must be an integer from 0, got /);
    for (const ensemble of [undefined, null, ""])
      expect(() => createHttpClient({ url, ensemble: ensemble as string })).toThrow(
        /^ensemble must be an ensemble or its name, got /,
      );
    expect(() => open("nowhere")).toThrow('url must be like http://127.0.0.1:8000, got "nowhere"');
    expect(() => open(undefined as never)).toThrow("url must be like http://127.0.0.1:8000, got undefined");
    expect(() => open("http://127.0.0.1:99999")).toThrow(
      'url must be like http://127.0.0.1:8000, got "http://127.0.0.1:99999"',
    );
    for (const more of ["user@", "user:secret@"])
      expect(() => open(url.replace("//", `//${more}`))).toThrow(
        /^url must not contain a user name, a password, a query or a fragment; send credentials in `headers`$/,
      );
    for (const more of ["?token=1", "/#top"]) expect(() => open(url + more)).toThrow(/^url must not contain/);
    await expect(client.infer(x, { parameters: { priority: null as never } })).rejects.toMatchObject({
      kind: "invalid",
      mayHaveRun: false,
      message: "parameter `priority` must be text, a number or a boolean, got null",
    });
    expect(asked).toEqual({ config: 0, infer: 0, ready: 0 });
  });
});

describe("a request is retried", () => {
  it.each([429, 503])(
    "a request is retried after status %i, sent before anything is executed",
    async (status) => {
      const busy = json({ error: "busy" }, status);
      const { url, asked } = await serve([busy, busy, answer]);
      const { y } = await open(url).infer(x);
      expect(y?.data).toEqual(Int32Array.of(1, 2));
      expect(asked.infer).toBe(3);
    },
  );

  it("a request is not retried more often than configured", async () => {
    const { url, asked } = await serve([json({ error: "busy" }, 503)]);
    await expect(open(url, { retries: 4 }).infer(x)).rejects.toMatchObject({ kind: "refused", status: 503 });
    expect(asked.infer).toBe(5);
    await expect(open(url, { retries: 0 }).infer(x)).rejects.toMatchObject({ kind: "refused" });
    expect(asked.infer).toBe(6);
  });

  it("a request is retried after a lost connection only if the caller says that it may run twice", async () => {
    const { url, asked } = await serve([die, json({}, 502), answer]);
    await open(url).infer(x, { idempotent: true });
    expect(asked.infer).toBe(3);
  });

  it.each([
    ["closed", die],
    ["reset", reset],
  ])(
    "a request is retried once if a kept connection was %s before any of the answer arrived",
    async (_, end) => {
      const { url, asked } = await serve([answer, end, answer, end, end, answer]);
      const client = open(url, { checkContract: false });
      const inferLater = async (): Promise<unknown> => {
        await sleep(20);
        return client.infer(x);
      };
      await inferLater();
      await inferLater();
      expect(asked.infer).toBe(3);
      await expect(inferLater()).rejects.toMatchObject({ kind: "lost", mayHaveRun: true });
      expect(asked.infer).toBe(5);
    },
  );

  it("a request on a kept connection is not retried in a sequence, without retries, or if part of the answer arrived", async () => {
    const { url, asked } = await serve([answer, die, answer, die, answer, dieInBody]);
    const client = open(url, { checkContract: false });
    const none = open(url, { checkContract: false, retries: 0 });
    for (const [one, call] of [
      [client, { parameters: { sequence_id: 7 } }],
      [none, {}],
      [client, {}],
    ] as const) {
      await client.infer(x);
      await sleep(20);
      await expect(one.infer(x, call)).rejects.toMatchObject({ kind: "lost", mayHaveRun: true });
    }
    expect(asked.infer).toBe(6);
  });

  it("a request is not retried earlier than the server asks for, or after the deadline", async () => {
    const { url, asked } = await serve([json({ error: "busy" }, 429, { "Retry-After": "60" })]);
    await expect(open(url).infer(x, { deadlineMs: 20_000 })).rejects.toMatchObject({
      kind: "refused",
      status: 429,
      retryAfterMs: 60_000,
    });
    expect(asked.infer).toBe(1);
  });
});

describe("Retry-After", () => {
  const busy = (after: string) => json({ error: "busy" }, 503, { "Retry-After": after });

  it.each([
    ["3000000", 3_000_000_000],
    [new Date(Date.now() + 3_600_000).toUTCString(), 3_600_000],
  ])(
    "a server that asks for a long wait (%s) gets no second request, even without a deadline",
    async (after, ms) => {
      const { url, asked } = await serve([busy(after)]);
      const error: unknown = await open(url)
        .infer(x)
        .catch((error: unknown) => error);
      expect(error).toMatchObject({ kind: "refused", status: 503 });
      expect(Math.abs(((error as { retryAfterMs: number }).retryAfterMs ?? 0) - ms)).toBeLessThan(60_000);
      expect(asked.infer).toBe(1);
    },
  );

  it("a call that is cancelled while it waits leaves no timer", async () => {
    const [set, clear] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
    onTestFinished(() => void vi.restoreAllMocks());
    const { url } = await serve([busy("60")]);
    const leaving = new AbortController();
    const call = open(url).infer(x, { signal: leaving.signal });
    const waits = () => set.mock.calls.findIndex(([, after]) => after === 60_000);
    await vi.waitFor(() => expect(waits()).toBeGreaterThanOrEqual(0));
    leaving.abort();
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    expect(clear).toHaveBeenCalledWith(set.mock.results[waits()]?.value);
  });

  it("a date is respected", async () => {
    onTestFinished(() => void vi.useRealTimers());
    const date = Date.UTC(2026, 0, 1);
    vi.setSystemTime(date - 200);
    const { url, asked } = await serve([busy(new Date(date).toUTCString()), answer]);
    const start = performance.now();
    await open(url).infer(x);
    // Timers may be a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(198);
    expect(asked.infer).toBe(2);
  });

  it.each([
    ["-5", undefined],
    ["soon", undefined],
    [new Date(0).toUTCString(), 0],
  ])("%s does not delay a retry", async (after, ms) => {
    const { url, asked } = await serve([busy(after), busy(after), answer]);
    const error: unknown = await open(url, { retries: 0 })
      .infer(x)
      .catch((error: unknown) => error);
    expect((error as { readonly retryAfterMs?: number }).retryAfterMs).toBe(ms);
    expect(asked.infer).toBe(1);
    await open(url).infer(x);
    expect(asked.infer).toBe(3);
  });
});

describe("the address of another server", () => {
  it("https:// to a server without TLS", async () => {
    const { url, asked } = await serve([answer]);
    const https = url.replace("http:", "https:");
    await expect(open(https).infer(x)).rejects.toMatchObject({
      kind: "unreachable",
      mayHaveRun: false,
      message: `no server answers at ${https}: the server at this port uses no TLS; use http://`,
    });
    expect(asked).toEqual({ config: 0, infer: 0, ready: 0 });
  });

  it.each<[string, () => Server, object]>([
    [
      "closes it without a word",
      // Without a certificate: the handshake does not get that far.
      () => createTlsServer(),
      {
        kind: "lost",
        message: expect.stringMatching(/ \(if the server at this port uses TLS; use https:\/\/\)$/),
      },
    ],
    [
      "answers with an alert",
      () =>
        createTcpServer((socket) => {
          socket.once("data", () => socket.end(Uint8Array.of(0x15, 3, 3, 0, 2, 2, 70)));
        }),
      {
        kind: "unreachable",
        message: expect.stringMatching(
          /^no server answers at http:\/\/127\.0\.0\.1:\d+: the server at this port uses TLS; use https:\/\/$/,
        ),
      },
    ],
  ])("http:// to a server with TLS that %s", async (_, make, failure) => {
    const server = make();
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${await listen(server)}`;
    await expect(open(url).infer(x)).rejects.toMatchObject({ ...failure, mayHaveRun: false });
  });

  it("a port that does not speak HTTP, if the program uses undici from npm, whose error has no code", async () => {
    const words = "Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)";
    const cause = Object.assign(new Error(words), { code: undefined, data: "\0\0\u0006" });
    const url = "http://127.0.0.1:8001";
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
    await expect(open(url, { fetch }).infer(x)).rejects.toMatchObject({
      kind: "malformed",
      message: `the server's answer cannot be read: ${url} does not speak HTTP/1.1; is this its gRPC port?`,
    });
  });

  it("http:// to a gRPC port", async () => {
    const server = createHttp2Server();
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${await listen(server)}`;
    await expect(open(url).infer(x)).rejects.toMatchObject({
      kind: "malformed",
      message: `the server's answer cannot be read: ${url} does not speak HTTP/1.1; is this its gRPC port?`,
    });
  });

  it("a url that already ends with /v2: the message has the whole address", async () => {
    const { url } = await serve([answer], [json({ error: "" }, 404)]);
    await expect(open(`${url}/v2`).infer(x)).rejects.toMatchObject({
      kind: "refused",
      status: 404,
      message: expect.stringContaining(`${url}/v2/v2/models/m`),
    });
  });
});

describe("a sequence over HTTP", () => {
  it.each<[number | bigint | string, string]>([
    [7, "7"],
    [2 ** 60, "1152921504606846976"],
    [2n ** 53n + 1n, "9007199254740993"],
    [2n ** 64n - 1n, "18446744073709551615"],
    ["7", '"7"'],
  ])("the id %s is sent as %s", async (id, text) => {
    const { url } = await serve([answer]);
    let sent = "";
    const spy: typeof fetch = async (input, init) => {
      if (init?.body !== undefined) sent = new TextDecoder().decode(init.body as Uint8Array);
      return fetch(input, init);
    };
    const client = createHttpClient({
      url,
      ensemble: { ...contract, sequenceIds: "UINT64" },
      checkContract: false,
      fetch: spy,
    });
    await client.sequence({ id }).infer(x);
    expect(sent).toContain(`"sequence_id":${text},"sequence_start":true`);
  });
});

describe("the contract", () => {
  it("the contract is checked once, however many calls start together", async () => {
    const { url, asked } = await serve([answer]);
    const client = open(url);
    await Promise.all([client.infer(x), client.infer(x), client.check()]);
    await client.infer(x);
    expect(asked).toEqual({ config: 1, infer: 3, ready: 0 });
  });

  it("the contract is not checked if the caller disables that", async () => {
    const { url, asked } = await serve([answer]);
    await open(url, { checkContract: false }).infer(x);
    expect(asked.config).toBe(0);
  });

  it("the contract is checked again after a failed check", async () => {
    const other = {
      max_batch_size: 4,
      input: [],
      output: [{ name: "y", data_type: "TYPE_INT32", dims: [2] }],
    };
    const { url, asked } = await serve([answer], [json(other), json({ error: "no" }, 500), json(config)]);
    const client = open(url);
    await expect(client.infer(x)).rejects.toMatchObject({ kind: "contract" });
    await expect(client.infer(x)).rejects.toMatchObject({ kind: "refused", status: 500 });
    await client.infer(x);
    expect(asked).toEqual({ config: 3, infer: 1, ready: 0 });
  });

  it("contracts are compared tensor by tensor if the hash differs: a harmless change is not a difference", async () => {
    const wider = {
      max_batch_size: 4,
      input: [
        { name: "x", data_type: "TYPE_INT32", dims: ["-1"] },
        { name: "note", data_type: "TYPE_STRING", dims: [1], optional: true },
      ],
      output: [
        { name: "y", data_type: "TYPE_INT32", dims: [2] },
        { name: "z", data_type: "TYPE_FP32", dims: [1] },
      ],
      parameters: { tritype_contract: { string_value: "another" } },
    };
    const { url, asked } = await serve([answer], [json(wider)]);
    await open(url).infer(x);
    expect(asked).toEqual({ config: 1, infer: 1, ready: 0 });
  });

  it("the check falls back to the metadata of a server that has no configurations", async () => {
    const metadata = {
      name: "m",
      inputs: [{ name: "x", datatype: "INT32", shape: [-1, 2] }],
      outputs: [{ name: "y", datatype: "INT32", shape: [-1, 3] }],
    };
    const { url } = await serve([answer], [json({ error: "no" }, 404), json(metadata)]);
    await expect(open(url).infer(x)).rejects.toMatchObject({
      kind: "contract",
      differences: [{ side: "output", tensor: "y", expected: "INT32[batch, 2]", got: "INT32[-1, 3]" }],
    });
  });

  const described = (x: object, hash = "another") => ({
    name: "m",
    max_batch_size: 4,
    input: [{ name: "x", ...x }],
    output: [{ name: "y", data_type: "TYPE_INT32", dims: [2] }],
    parameters: { tritype_contract: { string_value: hash } },
  });
  const floats = described({ data_type: "TYPE_FP32", dims: [2] });

  it("contracts with different hashes are compared once, not for each call", async () => {
    const { url } = await serve([answer], [json(described({ data_type: "TYPE_INT32", dims: [2] }))]);
    let reads = 0;
    const type: TensorType = {
      dtype: "INT32",
      dims: ["batch", 2],
      get optional() {
        return ++reads < 0;
      },
    };
    const readsOfSecondCall = async (checkContract: boolean): Promise<number> => {
      const client = createHttpClient({ url, ensemble: { ...contract, inputs: { x: type } }, checkContract });
      await client.infer(x);
      const before = reads;
      await client.infer(x);
      return reads - before;
    };
    expect(await readsOfSecondCall(true)).toBe(await readsOfSecondCall(false));
  });

  it.each<[string, Answer, string, boolean]>([
    [
      "a refusal",
      json(
        {
          error:
            "[request id: <id_unknown>] inference input 'x' data-type is 'INT32', but model 'm' expects 'FP32'",
        },
        400,
      ),
      "refused",
      false,
    ],
    [
      "an answer that does not match",
      json({
        outputs: [{ name: "y", datatype: "FP32", shape: [1, 2], parameters: { binary_data_size: 0 } }],
      }),
      "malformed",
      true,
    ],
  ])(
    "%s is explained by a contract that has changed since the check",
    async (_, failed, kind, mayHaveRun) => {
      const { url, asked } = await serve([answer, failed], [json(config), json(floats)]);
      const client = open(url);
      await client.infer(x);
      await expect(client.infer(x)).rejects.toMatchObject({
        kind: "contract",
        mayHaveRun,
        cause: { kind },
        differences: [{ side: "input", tensor: "x", expected: "INT32[batch, 2]", got: "FP32[batch, 2]" }],
      });
      // Nothing more is sent to the changed ensemble.
      await expect(client.infer(x)).rejects.toMatchObject({ kind: "contract", mayHaveRun: false });
      expect(asked).toEqual({ config: 3, infer: 2, ready: 0 });
    },
  );

  it("a failure is reported unchanged if the contract is still the same, or does not explain it", async () => {
    const tooMany = json({ error: "inference request batch-size must be <= 4 for 'm'" }, 400);
    const failed = json({ error: "the model's own message" }, 500);
    const busy = json({ error: "busy" }, 503);
    const { url, asked } = await serve([tooMany, failed, busy, die, answer]);
    const client = open(url, { retries: 0 });
    const kinds: unknown[] = [];
    for (let n = 0; n < 4; n++)
      await client.infer(x).catch((error: { readonly kind?: string }) => kinds.push(error.kind));
    expect(kinds).toEqual(["refused", "refused", "refused", "lost"]);
    expect(asked).toEqual({ config: 2, infer: 4, ready: 0 });
    await client.infer(x);
    expect(asked.config).toBe(2);
  });

  it("the contract is not compared again if the caller disables the check, or if the server cannot be reached", async () => {
    const refused = json({ error: "unexpected inference input 'x' for model 'm'" }, 400);
    const { url, asked } = await serve([refused], [json(floats)]);
    await expect(open(url, { checkContract: false }).infer(x)).rejects.toMatchObject({ kind: "refused" });
    expect(asked.config).toBe(0);
    const gone = await serve([refused], [json(config), json({ error: "no" }, 500)]);
    await expect(open(gone.url).infer(x)).rejects.toMatchObject({ kind: "refused", status: 400 });
  });

  it("a client that only knows the name reports a change once, and then uses the new contract", async () => {
    const two = described({ data_type: "TYPE_INT32", dims: [2] });
    const three = described({ data_type: "TYPE_INT32", dims: [3] }, "third");
    const { url, asked } = await serve([answer], [json(two), json(three)]);
    const client = createHttpClient({ url, ensemble: "m" });
    await client.infer(x);
    const longer = { x: [[1, 2, 3]] };
    await expect(client.infer(longer)).rejects.toMatchObject({
      kind: "contract",
      message: [
        "the server's `m` has changed:",
        "  input `x`: expected INT32[batch, 2], the server has INT32[batch, 3]",
        "call again",
      ].join("\n"),
    });
    await client.infer(longer);
    await expect(client.infer(x)).rejects.toMatchObject({ kind: "invalid", got: "[1, 2]" });
    expect(asked.infer).toBe(2);
  });

  it("only the outputs that a call requests must match", async () => {
    const { url, asked } = await serve([answer], [json(described({ data_type: "TYPE_INT32", dims: [2] }))]);
    const client = createHttpClient({
      url,
      ensemble: { ...contract, outputs: { ...contract.outputs, z: { dtype: "FP32", dims: ["batch"] } } },
    });
    const differences = [{ side: "output", tensor: "z", expected: "FP32[batch, 1]", got: undefined }];
    await client.infer(x, { outputs: ["y"] });
    await expect(client.infer(x)).rejects.toMatchObject({ kind: "contract", differences });
    await expect(client.check()).rejects.toMatchObject({ kind: "contract", differences });
    await client.infer(x, { outputs: ["y"] });
    expect(asked.infer).toBe(2);
  });

  it("a call that starts the check and is cancelled does not block other calls", async () => {
    const { url, asked } = await serve([answer], [never, json(config)]);
    const client = open(url);
    const controller = new AbortController();
    const first = client.infer(x, { signal: controller.signal });
    const failed = expect(first).rejects.toMatchObject({ kind: "cancelled" });
    await expect.poll(() => asked.config).toBe(1);
    controller.abort();
    await failed;
    await client.infer(x);
    expect(asked.config).toBe(2);
  });

  it.each([[[]], [{ input: "x" }], [{ input: [{ name: "x", data_type: "TYPE_FP4", dims: [] }] }]])(
    "a contract is malformed if the server sends %j",
    async (wrong) => {
      const { url } = await serve([answer], [json(wrong)]);
      await expect(open(url).check()).rejects.toMatchObject({ kind: "malformed" });
    },
  );
});
