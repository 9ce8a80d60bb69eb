import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { answerHttp } from "../../../test/fixtures/listen.ts";
import type { StreamingClient } from "./client.ts";
import type { Contract, Tensor } from "./contract.ts";
import { createHttpClient, type HttpOptions } from "./create-http-client.ts";

type Inputs = Record<string, unknown>;
type Outputs = Record<string, Tensor>;
const contract: Contract<Inputs, Outputs, true> = {
  name: "m",
  hash: "abc",
  streams: true,
  inputs: { x: { dtype: "INT64", dims: ["batch", -1] } },
  outputs: { y: { dtype: "FP32", dims: ["batch", "n"] }, id: { dtype: "INT64", dims: ["batch", 1] } },
};
const config = {
  name: "m",
  max_batch_size: 8,
  input: [{ name: "x", data_type: "TYPE_INT64", dims: [-1] }],
  output: [
    { name: "y", data_type: "TYPE_FP32", dims: [-1] },
    { name: "id", data_type: "TYPE_INT64", dims: [1] },
  ],
  model_transaction_policy: { decoupled: true },
  parameters: { tritype_contract: { string_value: "abc" } },
};
const event = (y: unknown, id: unknown = 1): string => `data: ${JSON.stringify({ y, id })}\n\n`;

type Answer = (response: ServerResponse, body: string) => void;
const headers = { "Content-Type": "text/event-stream; charset=utf-8" };
/** Writes the pieces one by one, so that each one arrives separately. */
const pieces =
  (...texts: readonly (string | Uint8Array)[]): Answer =>
  async (response) => {
    response.writeHead(200, headers);
    for (const text of texts) {
      response.write(text);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  };
const dieAfter =
  (text: string): Answer =>
  (response) => {
    response.writeHead(200, headers);
    response.write(text, () => setTimeout(() => response.socket?.destroy(), 20));
  };
const refuse =
  (status: number, error: string): Answer =>
  (response) =>
    void response.writeHead(status).end(JSON.stringify({ error }));

/** A server that sends these streams in turn and repeats the last one, and the bodies that it received. */
const serve = async (...answers: readonly Answer[]) => {
  const bodies: string[] = [];
  const url = await answerHttp((request, response) => {
    let body = "";
    request.on("data", (text: Buffer) => (body += text.toString()));
    request.once("end", () => {
      if (!request.url?.endsWith("/generate_stream")) {
        response.end(JSON.stringify(config));
        return;
      }
      (answers[bodies.push(body) - 1] ?? answers.at(-1))?.(response, body);
    });
  });
  return { url, bodies };
};
const open = (url: string, options: Partial<HttpOptions> = {}): StreamingClient<Inputs, Outputs> =>
  createHttpClient({ url, ensemble: contract, backoff: () => 0, ...options });
const all = async (client: StreamingClient<Inputs, Outputs>, options = {}, x: unknown = [[1n]]) => {
  const got: unknown[] = [];
  try {
    for await (const answer of client.stream({ x }, options))
      got.push(Object.values(answer as Outputs).map(({ toArray }) => toArray()));
  } catch (error) {
    return { got, error };
  }
  return { got };
};

describe("a stream over HTTP", () => {
  it("a stream is read wherever its chunks are split, with comments between them", async () => {
    const bytes = Buffer.from(
      `: hello\n\n${event([1, 2])}:\n\ndata:${event(3, 2).slice(6)}id: 7\n${event([])}`,
    );
    const { url, bodies } = await serve(
      pieces(...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))),
      pieces(bytes),
    );
    const expected = {
      got: [
        [[[1, 2]], [1n]],
        [[[3]], [2n]],
        [[[]], [1n]],
      ],
    };
    expect(
      await all(open(url), { id: "q", parameters: { a: 'b"', c: 2n ** 60n, d: true } }, [[2n ** 60n, -1]]),
    ).toEqual(expected);
    expect(await all(open(url))).toEqual(expected);
    expect(bodies[0]).toBe(
      '{"id":"q","x":[1152921504606846976,-1],"parameters":{"a":"b\\"","c":1152921504606846976,"d":true}}',
    );
  });

  it("a stream may contain numbers that JSON does not support, and 64-bit integers", async () => {
    const text =
      'data: {"model_name":"NaN \\" 1234567890123456789","y":[NaN,-Infinity,Infinity,1234567890123456.5],"id":-9223372036854775808}\n\n';
    const { url } = await serve(pieces(text));
    expect(await all(open(url))).toEqual({
      got: [[[[Number.NaN, -Infinity, Infinity, Math.fround(1234567890123456.5)]], [-(2n ** 63n)]]],
    });
  });

  it("the client refuses a stream in which shapes or elements would be lost", async () => {
    const { url, bodies } = await serve(pieces(event(1)));
    const grpc = "; use a gRPC client, which sends tensors unchanged";
    const oneRow = "; send single rows, or use a gRPC client, which sends tensors unchanged";
    expect(await all(open(url), {}, [[1n], [2n]])).toMatchObject({
      error: {
        kind: "invalid",
        tensor: "y",
        mayHaveRun: false,
        message: `output \`y\`: an HTTP stream has no shapes, so FP32[batch, n] of 2 rows is ambiguous${oneRow}`,
      },
    });
    expect(await all(open(url), { outputs: ["id"] }, [[1n], [2n]])).toMatchObject({
      error: {
        kind: "invalid",
        tensor: "x",
        message: `input \`x\`: an HTTP stream has no shapes, so only the last open dim may differ from 1, got [2, 1]${oneRow}`,
      },
    });
    const raw = createHttpClient({
      url,
      checkContract: false,
      ensemble: {
        ...contract,
        inputs: {
          x: { dtype: "BYTES", dims: ["batch", 1] },
          h: { dtype: "FP16", dims: [1], optional: true },
        },
        outputs: { y: { dtype: "BYTES", dims: ["batch", 1] } },
      },
    });
    const first = (inputs: Inputs, options = {}) => raw.stream(inputs, options).next();
    await expect(first({ x: [Uint8Array.of(255)] })).rejects.toThrow(
      `input \`x\`: an HTTP stream is JSON, which has text but no bytes${grpc}`,
    );
    await expect(first({ x: ["a"], h: [1] })).rejects.toThrow(
      `input \`h\`: an HTTP stream is JSON, which has no FP16${grpc}`,
    );
    await expect(first({ x: ["a"] }, { raw: ["y"] })).rejects.toThrow(
      `output \`y\`: an HTTP stream is JSON, which has text but no bytes${grpc}`,
    );
    expect(bodies).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ["JSON that ends early", 'data: {"y":[1,2\n\n', /the server's answer cannot be read: SyntaxError/],
    ["a missing output", 'data: {"y":[1]}\n\n', /the answer of m has no output `id`/],
    ["text for a number", event(["a"]), /output `y`: expected FP32\[batch, n\], got "a"/],
    ["no object", "data: null\n\n", /the server's answer cannot be read: an event is not an object/],
  ])("a stream is malformed with %s", async (_, text, message) => {
    const { url } = await serve(pieces(event([1]), text));
    expect(await all(open(url))).toMatchObject({
      got: [[[[1]], [1n]]],
      error: { kind: "malformed", mayHaveRun: true, message: expect.stringMatching(message) },
    });
  });

  it("a client that only knows the name accepts answers with some of the outputs", async () => {
    const { url } = await serve(pieces(event([1]), 'data: {"y":[2]}\n\n', "data: {}\n\n"));
    expect(await all(open(url, { ensemble: "m" } as never))).toEqual({ got: [[[[1]], [1n]], [[[2]]], []] });
  });

  it("a stream is malformed if one answer is larger than the limit, regardless of the total size", async () => {
    const { url } = await serve(pieces(event([1]), event([2]), event([3]), `data: ${"x".repeat(2000)}`));
    expect(await all(open(url, { maxAnswerBytes: 1000 }))).toMatchObject({
      got: [1, 2, 3].map((n) => [[[n]], [1n]]),
      error: { kind: "malformed", message: expect.stringContaining("over 1000 bytes (`maxAnswerBytes`)") },
    });
  });

  it("a stream is lost with its connection: one error follows the answers so far, and nothing is retried", async () => {
    const { url, bodies } = await serve(dieAfter(event([1]) + 'data: {"y"'), pieces(event([2])));
    expect(await all(open(url))).toMatchObject({
      got: [[[[1]], [1n]]],
      error: {
        kind: "lost",
        mayHaveRun: true,
        message: expect.stringContaining("ended before the answer was complete"),
      },
    });
    expect(bodies).toHaveLength(1);
  });

  it("a stream is not retried if the connection breaks before the first answer, because it may have run", async () => {
    const { url, bodies } = await serve(dieAfter(""), pieces(event([2])));
    expect(await all(open(url))).toMatchObject({ got: [], error: { kind: "lost", mayHaveRun: true } });
    expect(bodies).toHaveLength(1);
  });

  it("a stream is retried if the server was busy and nothing has run", async () => {
    const { url, bodies } = await serve(refuse(503, "busy"), refuse(429, "busy"), pieces(event([2])));
    expect(await all(open(url))).toEqual({ got: [[[[2]], [1n]]] });
    expect(bodies).toHaveLength(3);
  });

  it("a stream is read only as fast as its reader reads", async () => {
    let written = 0;
    const endless: Answer = (response) => {
      response.writeHead(200, headers);
      const more = (): void => {
        do written++;
        while (response.write(`: ${"x".repeat(100_000)}\n\n${event(1)}`));
        response.once("drain", more);
      };
      more();
    };
    const { url } = await serve(endless);
    const answers = open(url).stream({ x: [[1n]] });
    for (let n = 0; n < 3; n++) await answers.next();
    let before = -1;
    // Only as much as fits into the buffers of both sides is written.
    await expect
      .poll(() => [before, (before = written)], { interval: 300 })
      .toSatisfy(([a = 0, b = 0]: number[]) => a === b);
    expect(written * 100_000).toBeLessThan(40e6);
    const stuck = written;
    for (let n = 0; n < 400; n++) await answers.next();
    expect(written).toBeGreaterThan(stuck);
    await answers.return();
  });
});
