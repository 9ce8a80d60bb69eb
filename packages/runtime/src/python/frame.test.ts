import { expect, test } from "vitest";
import { type Frame, FrameReader, frameType, printFrameHead } from "./frame.ts";

const frames: readonly Frame[] = [
  { type: frameType.ready, id: 1, meta: Buffer.alloc(0), body: Buffer.alloc(0) },
  { type: frameType.done, id: 2, meta: Buffer.from("meta"), body: Buffer.from("the body") },
  { type: frameType.log, id: 2 ** 40, meta: Buffer.from("only meta"), body: Buffer.alloc(0) },
  { type: frameType.done, id: 3, meta: Buffer.alloc(0), body: Buffer.alloc(300, 7) },
];
const wire = Buffer.concat(
  frames.flatMap(({ type, id, meta, body }) => [printFrameHead(type, id, meta, body.length), body]),
);

const read = (pieces: number): readonly Frame[] => {
  const seen: Frame[] = [];
  const reader = new FrameReader((frame) => seen.push(frame));
  for (let offset = 0; offset < wire.length; ) {
    const count = wire.copy(reader.space().subarray(0, pieces), 0, offset);
    offset += count;
    reader.received(count);
  }
  return seen;
};

test.each([1, 3, 31, 32, 33, 1000])("frames survive being received %i bytes at a time", (pieces) => {
  expect(read(pieces)).toEqual(frames);
});

test.each([
  ["a wrong magic number", (head: Buffer) => head.writeUInt32LE(1, 0)],
  ["meta above 16 MiB", (head: Buffer) => head.writeBigUInt64LE(17n * 1024n * 1024n, 16)],
  ["a body larger than any memory", (head: Buffer) => head.writeBigUInt64LE(2n ** 60n, 24)],
])("%s is refused", (_what, spoil) => {
  const head = printFrameHead(frameType.done, 1, Buffer.alloc(0), 0);
  spoil(head);
  const reader = new FrameReader(() => undefined);
  head.copy(reader.space());
  expect(() => reader.received(32)).toThrow("sent bytes that are not a frame");
});
