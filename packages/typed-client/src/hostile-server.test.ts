import fc from "fast-check";
import { expect, it } from "vitest";
import { answerHttp } from "../../../test/fixtures/listen.ts";
import { ClientError } from "./client-error.ts";
import type { Contract, Tensor, TensorType } from "./contract.ts";
import { createHttpClient, type HttpOptions } from "./create-http-client.ts";
import { readConfig, readInferResponse, readMetadata } from "./grpc/messages.ts";

const contract: Contract<Record<string, unknown>, Record<string, Tensor>> = {
  name: "m",
  inputs: { x: { dtype: "INT32", dims: ["batch", 2] } },
  outputs: { y: { dtype: "INT32", dims: ["batch", "n"] } },
};
const x = { x: [[1, 2]] };

/** A client whose server sends this answer to an inference. */
const answering = (
  head: unknown,
  data: Uint8Array<ArrayBuffer> = new Uint8Array(),
  options: Partial<HttpOptions> = {},
) => {
  const json = new TextEncoder().encode(typeof head === "string" ? head : JSON.stringify(head));
  const headers = { "Inference-Header-Content-Length": String(json.byteLength) };
  return createHttpClient({
    url: "http://127.0.0.1:1",
    ensemble: contract,
    checkContract: false,
    retries: 0,
    fetch: async () => new Response(new Blob([json, data]), { headers }),
    ...options,
  });
};
const output = (changes: object) => ({
  outputs: [{ name: "y", datatype: "INT32", shape: [1, 2], parameters: { binary_data_size: 8 }, ...changes }],
});
const eight = new Uint8Array(8);

it.each([
  ["no list of sizes", output({ shape: 2 })],
  ["sizes that are strings", output({ shape: ["1", "2"] })],
  ["a negative size", output({ shape: [-1, -2] })],
  ["a fraction", output({ shape: [1, 2.5] })],
  ["a size past 2^53", output({ shape: [1, 2 ** 60] })],
  ["a billion empty rows", output({ shape: [1_000_000_000, 0], parameters: { binary_data_size: 0 } })],
  ["no output at all", { outputs: [null] }],
  ["a number for an output", { outputs: [7] }],
  ["a negative number of bytes", output({ parameters: { binary_data_size: -4 } })],
  ["half a byte", output({ parameters: { binary_data_size: 0.5 } })],
  ["bytes as text", output({ parameters: { binary_data_size: "8" } })],
  ["more bytes than there are", output({ parameters: { binary_data_size: 2 ** 52 } })],
  ["no name", output({ name: 5 })],
  ["a name that cannot be converted to a string", output({ name: { toString: 1 } })],
  ["a size that cannot be converted to a string", output({ shape: [1, { toString: 1 }] })],
  ["no datatype", output({ datatype: { toString: 1 } })],
  ["a list", [1]],
  ["null", "null"],
  ["endless nesting", "[".repeat(200_000)],
])("an answer with %s is malformed", async (_, head) => {
  await expect(answering(head, eight).infer(x)).rejects.toMatchObject({
    name: "ClientError",
    kind: "malformed",
  });
});

it("names from Object's prototype affect neither the prototype nor the answer", async () => {
  const text = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"outputs":[
    {"name":"__proto__","datatype":"INT32","shape":[1,1],"parameters":{"binary_data_size":4,"__proto__":{"polluted":1}}},
    {"name":"constructor","datatype":"INT32","shape":[1,1],"parameters":{"binary_data_size":4}},
    {"name":"y","datatype":"INT32","shape":[1,2],"parameters":{"binary_data_size":8}}]}`;
  const got = await answering(text, new Uint8Array(16)).infer(x);
  expect(Object.keys(got)).toEqual(["y"]);
  expect(got["y"]?.toArray()).toEqual([[0, 0]]);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  await expect(answering(text).infer(x, { outputs: ["constructor"] })).rejects.toMatchObject({
    kind: "invalid",
  });
});

it("a server's contract is compared as usual even if its tensors are named like Object's methods", async () => {
  const one: TensorType = { dtype: "INT32", dims: [1] };
  const own: Contract = { name: "m", inputs: { toString: one }, outputs: { constructor: one } };
  const client = createHttpClient({
    url: "http://127.0.0.1:1",
    ensemble: own,
    fetch: async () => new Response('{"name":"m","input":[],"output":[],"parameters":{}}'),
  });
  await expect(client.check()).rejects.toMatchObject({
    kind: "contract",
    differences: [{ tensor: "toString" }, { tensor: "constructor" }],
  });
});

it("a redirect is refused, and its target gets neither tensors nor headers", async () => {
  const asked: string[] = [];
  const target = await answerHttp((request, response) => {
    asked.push(`${request.method} ${String(request.headers["x-api-key"])}`);
    response.end("{}");
  });
  const url = await answerHttp((_, response) => response.writeHead(307, { Location: `${target}/x` }).end());
  const client = createHttpClient({
    url,
    ensemble: contract,
    checkContract: false,
    headers: { "X-Api-Key": "secret" },
  });
  await expect(client.infer(x)).rejects.toMatchObject({
    kind: "refused",
    message: expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:\d+\/v2\/models\/m\/infer redirects to http:\/\/127\.0\.0\.1:\d+\/x; set `url` to it$/,
    ) as string,
    mayHaveRun: false,
  });
  expect(asked).toEqual([]);
});

it("a redirect whose target is hidden, as in browsers, is reported as such", async () => {
  const client = answering("", eight, { fetch: async () => new Response(null, { status: 307 }) });
  await expect(client.infer(x)).rejects.toMatchObject({
    kind: "refused",
    message:
      "http://127.0.0.1:1/v2/models/m/infer redirects to an address that browsers hide; set `url` to it",
  });
});

it("an answer is only read up to a size limit", async () => {
  let sent = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) =>
          (sent += 65_536) > 100_000_000 ? controller.close() : controller.enqueue(new Uint8Array(65_536)),
      }),
    );
  await expect(
    answering("", eight, { fetch: async () => endless(), maxAnswerBytes: 1_000_000 }).infer(x),
  ).rejects.toMatchObject({
    kind: "malformed",
    message: "the server's answer cannot be read: it has over 1000000 bytes (`maxAnswerBytes`)",
  });
  expect(sent).toBeLessThan(2_000_000);
});

it("a server's reason is only shown up to a length limit", async () => {
  const refusing = answering("", eight, {
    fetch: async () => new Response(JSON.stringify({ error: "x".repeat(1_000_000) }), { status: 400 }),
  });
  const error = await refusing.infer(x).catch((reason: unknown) => reason as ClientError);
  expect((error as ClientError).message.length).toBeLessThan(3_000);
});

/** JSON similar to an answer: the correct one with any part replaced. */
const nearly = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue(),
    fc.constantFrom(null, -1, 0, 1e300, "y", "__proto__", [], {}, { toString: 1, valueOf: 1 }),
    fc.record({ outputs: tie("any"), parameters: tie("any") }, { requiredKeys: [] }),
    fc.array(
      fc.record(
        { name: tie("any"), datatype: tie("any"), shape: tie("any"), parameters: tie("any") },
        { requiredKeys: [] },
      ),
      { maxLength: 2 },
    ),
  ),
})).any;

it("a call over HTTP, whatever the server answers, ends with an answer or a ClientError", async () => {
  await fc.assert(
    fc.asyncProperty(nearly, nearly, fc.uint8Array({ maxLength: 16 }), async (answer, part, data) => {
      for (const head of [answer, { outputs: answer }, output(part as object), output({ shape: part })]) {
        const got: unknown = await answering(head ?? null, new Uint8Array(data))
          .infer(x)
          .catch((reason: unknown) => reason);
        if (got instanceof Error) expect(got).toBeInstanceOf(ClientError);
      }
      const client = createHttpClient({
        url: "http://127.0.0.1:1",
        ensemble: contract,
        fetch: async () => new Response(JSON.stringify(answer ?? null)),
      });
      const checked: unknown = await client.check().catch((reason: unknown) => reason);
      if (checked instanceof Error) expect(checked).toBeInstanceOf(ClientError);
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

it("any bytes over gRPC give a message or a RangeError", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      for (const read of [readInferResponse, readConfig, readMetadata])
        try {
          read(new Uint8Array(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
    }),
    { numRuns: 500 },
  );
});
