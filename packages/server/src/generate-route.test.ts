import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { tensorOf } from "@tritype/core";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { adder, type MemoryModel, memoryRuntime, teller } from "./memory-runtime.fixture.ts";
import { serveHttp } from "./serve-http.ts";
import { error, serveTest } from "./test-server.fixture.ts";

const { server, call, internal } = await serveTest();
afterAll(() => server.close());

const generate = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const reply = await call(`/v2/models/${path}`, { body: text, headers });
  return [reply.status, reply.headers["content-type"], reply.body.toString()];
};
const json = "application/json";
const events = "text/event-stream; charset=utf-8";
const of = (model: string): string => `"model_name":"${model}","model_version":"1"`;
const told = (text: string, id = ""): string => `{"TEXT":"${text}",${id}${of("teller")}}`;
const notOnce = error(
  "generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses",
);

describe("generate", () => {
  it.each<[string, string, unknown, number, string]>([
    [
      "a batch",
      "add",
      { INPUT0: [1, 2, 3, 4], INPUT1: [1, 1, 1, 1] },
      200,
      `{"OUTPUT":[2.0,3.0,4.0,5.0],${of("add")}}`,
    ],
    [
      "a value",
      "text_echo",
      { INPUT: 'a"b', id: "q" },
      200,
      `{"OUTPUT":"a\\"b","id":"q",${of("text_echo")}}`,
    ],
    [
      "nested members",
      "text_echo",
      { parameters: { INPUT: "a", p: 1 } },
      200,
      `{"OUTPUT":"a",${of("text_echo")}}`,
    ],
    ["any nesting", "echo_int32", { INPUT: [[], [1, 2], 3] }, 200, `{"OUTPUT":[1,2,3],${of("echo_int32")}}`],
    ["no elements", "echo_int32", { INPUT: [] }, 200, `{"OUTPUT":[],${of("echo_int32")}}`],
    [
      "64 bits",
      "echo_int64",
      '{"INPUT":9223372036854775807}',
      200,
      `{"OUTPUT":9223372036854775807,${of("echo_int64")}}`,
    ],
    [
      "a double",
      "echo_int32",
      '{"INPUT":1.0}',
      500,
      error("Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer"),
    ],
    [
      "another nesting",
      "echo_int32",
      {
        INPUT: [
          [1, 2],
          [3, 4],
        ],
      },
      500,
      error("Unable to parse 'data': Shape does not match true shape of 'data' field"),
    ],
    [
      "too few",
      "raw_echo",
      { INPUT: [1, 2, 3] },
      400,
      error("The schema can not convert input 'INPUT' to tensor with proper shape"),
    ],
    [
      "FP16",
      "echo_fp16",
      { INPUT: 1 },
      400,
      error(
        "receiving FP16 data via JSON is not supported. Please use the binary data format for input INPUT",
      ),
    ],
    [
      "a number as text",
      "text_echo",
      { INPUT: 1 },
      500,
      error("Unable to parse JSON bytes array: attempt to access JSON non-string as string"),
    ],
    ["a list", "text_echo", [], 500, error("attempt to get members for non-object")],
    [
      "an id",
      "text_echo",
      { id: 1 },
      500,
      error("Unable to parse 'id': attempt to access JSON non-string as string"),
    ],
    [
      "no object",
      "text_echo",
      { parameters: 1 },
      500,
      error("Expected JSON object for keyword: 'parameters': attempt to access JSON non-object as object"),
    ],
    [
      "a null within",
      "text_echo",
      { parameters: { p: null } },
      400,
      error(
        "Converting keyword: 'parameters': parameter 'p' has invalid type. It should be either 'int', 'bool', or 'string'.",
      ),
    ],
    [
      "a duplicate input",
      "text_echo",
      { INPUT: "a", parameters: { INPUT: "b" } },
      400,
      error(
        "Converting keyword: 'parameters': [request id: <id_unknown>] input 'INPUT' already exists in request",
      ),
    ],
    [
      "a repeated input",
      "text_echo",
      '{"INPUT": "a", "other": 1, "other": 2, "INPUT": "b"}',
      400,
      error("[request id: <id_unknown>] input 'INPUT' already exists in request"),
    ],
    ["a model's failure", "failing", { INPUT: [1, 2] }, 400, error("in ensemble 'failing', boom")],
    ["an internal failure", "broken", { INPUT: [1, 2] }, 400, error("x is undefined")],
    ["an unknown model", "none", "{", 404, error("Request for unknown model: 'none' is not found")],
    ["one response", "teller", { ASK: "say a" }, 200, told("a")],
    ["the last response", "teller", { ASK: "last a" }, 200, told("a")],
    ["two responses", "teller", { ASK: ["say a", "say b"] }, 200, notOnce],
    ["no response", "teller", { ASK: "end" }, 200, notOnce],
    ["an error first", "teller", { ASK: ["fail x", "say b"] }, 400, notOnce],
    ["an error alone", "teller", { ASK: "fail x" }, 400, error("x")],
  ])("%s", async (_, model, body, status, text) => {
    expect(await generate(`${model}/generate`, body)).toEqual([status, json, text]);
  });

  it("refuses compressed bodies and compresses nothing", async () => {
    expect(await generate("add/generate", "{", { "Content-Encoding": "gzip" })).toEqual([
      400,
      json,
      error("Unsupported content-encoding, only 'identity' is supported."),
    ]);
    expect(await generate("text_echo/generate", { INPUT: "a" }, { "Accept-Encoding": "gzip" })).toEqual([
      200,
      json,
      `{"OUTPUT":"a",${of("text_echo")}}`,
    ]);
  });

  it("reports internal failures", async () => {
    const before = internal.length;
    await generate("broken/generate_stream", { INPUT: [1, 2] });
    expect(internal.slice(before)).toMatchObject([{ message: "x is undefined" }]);
  });

  it("reads long texts and lists in slices", async () => {
    const other = await serveHttp(memoryRuntime([teller]), { port: 0 });
    onTestFinished(() => other.close());
    const ask = `last ${"é".repeat(3_000_000)}`;
    const send = (ASK: unknown) =>
      fetch(`${other.url}/v2/models/teller/generate`, { method: "POST", body: JSON.stringify({ ASK }) });
    const [one, many] = await Promise.all([
      send(ask),
      send([...Array.from({ length: 100_000 }, () => "repeat 0"), "last a"]),
    ]);
    expect(((await one.json()) as { TEXT: string }).TEXT).toBe(ask.slice(5));
    expect(((await many.json()) as { TEXT: string }).TEXT).toBe("a");
  });
});

describe("generate_stream", () => {
  it.each<[string, readonly string[], number, readonly string[]]>([
    ["two responses", ["say a", "say b"], 200, [told("a", '"id":"q",'), told("b", '"id":"q",')]],
    ["a list", ["many 2"], 200, [`{"TEXT":["0","1"],"id":"q",${of("teller")}}`]],
    ["no response", ["end"], 200, []],
    ["an error first", ["fail x", "last b"], 400, [error("x"), told("b", '"id":"q",')]],
    ["an error later", ["say a", "fail x"], 200, [told("a", '"id":"q",'), error("x")]],
  ])("%s", async (_, ASK, status, expected) => {
    expect(await generate("teller/generate_stream", { ASK, id: "q" })).toEqual([
      status,
      events,
      expected.map((one) => `data: ${one}\n\n`).join(""),
    ]);
  });

  it("sends refusals as JSON, and a model's failure as an event", async () => {
    expect(await generate("none/generate_stream", {})).toEqual([
      404,
      json,
      error("Request for unknown model: 'none' is not found"),
    ]);
    expect(await generate("failing/generate_stream", { INPUT: [1, 2] })).toEqual([
      400,
      events,
      `data: ${error("in ensemble 'failing', boom")}\n\n`,
    ]);
  });

  it("sends each event when it is generated", async () => {
    const response = await fetch(`${server.url}/v2/models/teller/generate_stream`, {
      method: "POST",
      body: JSON.stringify({ ASK: ["say a", "wait 5000", "say b"] }),
    });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe(`data: ${told("a")}\n\n`);
    await reader?.cancel();
  });

  /** Generates 10 kB messages endlessly, and counts them. */
  const endless = () => {
    const seen = { made: 0, ended: false, cancelled: false };
    const text = tensorOf("BYTES", [1], ["x".repeat(10_000)]);
    const model: MemoryModel = {
      ...adder,
      name: "endless",
      inputs: {},
      messages: async function* (_, signal) {
        try {
          for (;;) {
            seen.made++;
            yield { outputs: new Map([["TEXT", text]]) };
            await new Promise(setImmediate);
          }
        } finally {
          seen.ended = true;
          seen.cancelled = signal.aborted;
        }
      },
    };
    return { model, seen };
  };

  it("waits for a reader that does not read, and cancels for one that disconnects", async () => {
    const { model, seen } = endless();
    const other = await serveHttp(memoryRuntime([model]), { port: 0 });
    onTestFinished(() => other.close());
    const socket = connect(other.port, "127.0.0.1");
    socket.pause();
    socket.write(
      "POST /v2/models/endless/generate_stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
    );
    await expect.poll(() => seen.made, { timeout: 10_000 }).toBeGreaterThan(10);
    let before = 0;
    while (before !== seen.made) {
      before = seen.made;
      await sleep(500);
    }
    // The buffers of two sockets hold a few megabytes.
    expect(seen.made).toBeLessThan(3000);
    socket.destroy();
    await once(socket, "close");
    await expect.poll(() => seen.ended, { timeout: 10_000 }).toBe(true);
    expect(seen.cancelled).toBe(true);
  }, 60_000);
});
