import { expect, test } from "vitest";
import { Body, type Frame, FrameReader, frameType, printFrame } from "./frame.ts";

const bodyOf = (...parts: readonly Uint8Array[]): Body => {
  const body = new Body();
  for (const part of parts) body.add(part);
  return body;
};
const print = ({ type, id, meta, body }: Frame): Buffer =>
  Buffer.concat(printFrame(type, id, meta, bodyOf(body)));

const frames: readonly Frame[] = [
  { type: frameType.ready, id: 1, meta: Buffer.alloc(0), body: Buffer.alloc(0) },
  { type: frameType.done, id: 2, meta: Buffer.from("meta"), body: Buffer.from("the body") },
  { type: frameType.log, id: 2 ** 40 + 3, meta: Buffer.from("only meta"), body: Buffer.alloc(0) },
  { type: frameType.done, id: 3, meta: Buffer.alloc(0), body: Buffer.alloc(300, 7) },
];
const large: readonly Frame[] = [
  { type: frameType.done, id: 4, meta: Buffer.alloc(70_000, 5), body: Buffer.alloc(0) },
  { type: frameType.done, id: 5, meta: Buffer.from("large"), body: Buffer.alloc(200_000, 6) },
];
/** More small frames than fit into the reader's buffer. */
const many: readonly Frame[] = Array.from({ length: 75 }).flatMap(() => frames);

/** Receives at most `most` bytes at a time. */
const read = (wire: Buffer, most: number): readonly Frame[] => {
  const seen: Frame[] = [];
  const reader = new FrameReader((frame) => seen.push(frame));
  for (let offset = 0; offset < wire.length; ) {
    const count = wire.copy(reader.space().subarray(0, most), 0, offset);
    offset += count;
    reader.received(count);
  }
  return seen;
};

test("frames survive being received in two parts, split at any byte", () => {
  const wire = Buffer.concat(frames.map(print));
  for (let split = 1; split < wire.length; split++) {
    const seen: Frame[] = [];
    const reader = new FrameReader((frame) => seen.push(frame));
    for (let part of [wire.subarray(0, split), wire.subarray(split)])
      while (part.length > 0) {
        const count = part.copy(reader.space());
        part = part.subarray(count);
        reader.received(count);
      }
    expect(seen, `split at ${split}`).toEqual(frames);
  }
});

test.each([1, 3, 31, 32, 33, 1000, 65_536, 2 ** 30])(
  "frames survive being received at most %i bytes at a time",
  (most) => {
    const wire = Buffer.concat([...many, ...large, ...frames].map(print));
    const seen = read(wire, most);
    expect(Buffer.concat(seen.map(print)).equals(wire)).toBe(true);
  },
);

test("a frame keeps its bytes when others follow, and typed arrays can refer to its body", () => {
  const received = read(Buffer.concat([...frames, ...frames].slice(1).map(print)), 2 ** 30);
  expect(received[0]).toEqual(frames[1]);
  expect(received.map(({ body }) => body.byteOffset % 64)).toEqual(Array(7).fill(0));
});

test("a small body is sent together with its head, a large one without a copy", () => {
  const [small, big] = [Buffer.alloc(9, 1), Buffer.alloc(100_000, 2)];
  const meta = Buffer.from("meta");
  expect(printFrame(frameType.execute, 1, meta, bodyOf(small, small))).toHaveLength(1);
  const parts = printFrame(frameType.execute, 1, meta, bodyOf(small, big));
  expect(parts.at(-1)).toBe(big);
  expect(read(Buffer.concat(parts), 2 ** 30)[0]?.body).toHaveLength(64 + 100_000);
});

test.each([
  ["a wrong magic number", (head: Buffer) => head.writeUInt32LE(1, 0)],
  ["meta above 16 MiB", (head: Buffer) => head.writeBigUInt64LE(17n * 1024n * 1024n, 16)],
  ["a body larger than any memory", (head: Buffer) => head.writeBigUInt64LE(2n ** 60n, 24)],
])("%s is refused", (_what, spoil) => {
  const [head = Buffer.alloc(0)] = frames.map(print);
  spoil(head);
  const reader = new FrameReader(() => undefined);
  head.copy(reader.space());
  expect(() => reader.received(32)).toThrow("sent bytes that are not a frame");
});
