import { Readable } from "node:stream";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { collect } from "./collect.ts";

const plain = { expected: 0, refuse: () => false as const, gone: () => new Error("gone") };

it("returns the data that was received, even if a different amount was expected", () => {
  const chunks = fc.array(
    fc.nat(150_000).map((size) => new Uint8Array(size).map((_, at) => at * 7 + size)),
    { maxLength: 8 },
  );
  return fc.assert(
    fc.asyncProperty(chunks, fc.nat(400_000), async (parts, expected) => {
      const body = await collect(Readable.from(parts, { objectMode: true }), { ...plain, expected });
      expect(Buffer.compare(body, Buffer.concat(parts))).toBe(0);
    }),
    { numRuns: 50 },
  );
});

it("copies 20 MB in pieces, so that other work runs in between", async () => {
  const stream = Readable.from(Array.from({ length: 80 }, (_, index) => new Uint8Array(262_144).fill(index)));
  let turns = 0;
  let ended = false;
  stream.once("end", () => {
    const turn = (): void => {
      turns++;
      if (!ended) setImmediate(turn);
    };
    setImmediate(turn);
  });
  const body = await collect(stream, plain);
  ended = true;
  expect(body.byteLength).toBe(80 * 262_144);
  expect([body[0], body[262_144], body.at(-1)]).toEqual([0, 1, 79]);
  expect(turns).toBeGreaterThan(4);
});

it("stops when data is refused, and when the stream closes early", async () => {
  const refused = collect(Readable.from([new Uint8Array(5), new Uint8Array(5)]), {
    ...plain,
    refuse: (size) => size > 8 && new Error(`${size} bytes`),
  });
  await expect(refused).rejects.toThrow("10 bytes");
  const stream = new Readable({ read: () => {} });
  const lost = collect(stream, plain);
  stream.destroy();
  await expect(lost).rejects.toThrow("gone");
});
