import { expect, test } from "vitest";
import { messageReader } from "./grpc-target.ts";

/** The messages as a stream sends them. */
const framed = (...messages: readonly Buffer[]): Buffer =>
  Buffer.concat(
    messages.flatMap((message) => {
      const head = Buffer.alloc(5);
      head.writeUInt32BE(message.length, 1);
      return [head, message];
    }),
  );
const readIn = (size: number, bytes: Buffer): readonly Buffer[] => {
  const read: Buffer[] = [];
  const take = messageReader((message) => read.push(message));
  for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
  return read;
};

test.each([1, 3, 5, 6, 100, 10_000])("messages are found in chunks of %i bytes", (size) => {
  const messages = [0, 1, 4, 5, 300, 0].map((length) => Buffer.alloc(length, length));
  expect(readIn(size, framed(...messages))).toEqual(messages);
});

test("the chunks of a long message are joined once", () => {
  const long = Buffer.alloc(2 ** 25, 7);
  const began = performance.now();
  const [read] = readIn(2 ** 14, framed(long));
  expect(performance.now() - began).toBeLessThan(2000);
  expect(read?.equals(long)).toBe(true);
});
