import { Agent } from "node:http";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { add, infer, serveTest } from "./test-server.fixture.ts";

const { server, call, internal } = await serveTest();
afterAll(() => server.close());

describe("bad bodies", () => {
  const valid = Buffer.from(
    add(
      {},
      { id: "x", parameters: { p: 1 }, outputs: [{ name: "OUTPUT", parameters: { binary_data: true } }] },
    ),
  );
  const body = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 300 }),
    fc.integer({ min: 1, max: valid.length - 1 }).map((end) => new Uint8Array(valid.subarray(0, end))),
    fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(([at, byte]) => new Uint8Array(valid).with(at, byte)),
    fc.json().map((text) => new Uint8Array(Buffer.from(`{"inputs":[${text}]}`))),
  );

  it("bad bodies always get a response, and errors are JSON", async () => {
    const agent = new Agent({ keepAlive: true });
    const header = fc.option(fc.oneof(fc.nat(400).map(String), fc.constantFrom("", "x", "-5", "1e3")), {
      nil: undefined,
    });
    await fc.assert(
      fc.asyncProperty(
        body,
        header,
        fc.constantFrom(undefined, "gzip", "deflate"),
        async (bytes, length, encoding) => {
          const headers = {
            ...(length === undefined ? {} : { "Inference-Header-Content-Length": length }),
            ...(encoding === undefined ? {} : { "Content-Encoding": encoding }),
          };
          const reply = await call(infer("add"), { body: bytes, headers }, agent);
          expect([200, 400, 404, 500, 501]).toContain(reply.status);
          if (reply.status !== 200) expect(typeof JSON.parse(reply.body.toString()).error).toBe("string");
        },
      ),
      { numRuns: process.env["TRITYPE_LOAD"] === "long" ? 1000 : 300 },
    );
    agent.destroy();
    expect(internal).toEqual([]);
  });
});
