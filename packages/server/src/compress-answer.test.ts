import { deflateSync, gunzipSync, gzipSync, inflateSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { add, error, infer, limit, serveTest, sum } from "./test-server.fixture.ts";

const { server, call } = await serveTest();
afterAll(() => server.close());

describe("compression", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
  ] as const)("reads %s", async (encoding, compress) => {
    const reply = await call(infer("add"), {
      body: compress(add({})),
      headers: { "Content-Encoding": encoding },
    });
    expect([reply.status, reply.body.toString()]).toEqual([200, sum]);
  });

  it.each([
    ["gzip", gunzipSync],
    ["deflate", inflateSync],
    ["br, gzip;q=0.2, deflate;q=0.1", gunzipSync],
  ] as const)("answers %s", async (encoding, decompress) => {
    const reply = await call(infer("add"), { body: add({}), headers: { "Accept-Encoding": encoding } });
    expect(decompress(reply.body).toString()).toBe(sum);
  });

  it.each([
    ["br", add({}), 501, "Unsupported compression type"],
    ["gzip", "", 400, "nothing to be decompressed"],
    [
      "gzip",
      gzipSync(Buffer.alloc(limit + 1)),
      400,
      `Decompressed data size exceeds the maximum allowed value of ${limit} bytes. Use --http-max-input-size to increase the limit.`,
    ],
    ["gzip", "no gzip", 400, "the body cannot be decompressed: incorrect header check"],
  ])("%s: %#", async (encoding, body, status, text) => {
    const reply = await call(infer("add"), { body, headers: { "Content-Encoding": encoding } });
    expect([reply.status, reply.body.toString()]).toEqual([status, error(text)]);
  });
});
