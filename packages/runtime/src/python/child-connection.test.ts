import { expect, test } from "vitest";
import { ChildConnection } from "./child-connection.ts";
import { Body, type Frame, frameType, printFrame } from "./frame.ts";

/** A connection without sockets that takes note of what arrives, in order. */
const connected = () => {
  const seen: string[] = [];
  const connection = new ChildConnection({
    log: () => undefined,
    call: () => seen.push("call"),
    response: ({ id }: Frame) => seen.push(`response ${id}`),
    expects: () => false,
  });
  const receive = (frames: readonly (readonly [type: number, id: number])[]): void => {
    const bytes = Buffer.concat(
      frames.flatMap(([type, id]) => printFrame(type, id, Buffer.alloc(0), new Body())),
    );
    connection.reader.space().set(bytes);
    connection.reader.received(bytes.byteLength);
  };
  return { connection, seen, receive };
};
const nothing = [frameType.execute, Buffer.alloc(0), new Body()] as const;

test("an answer is read before the frames that arrive together with it, but after it", async () => {
  const { connection, seen, receive } = connected();
  const answer = connection.askWithId(7, ...nothing, ({ id }) => seen.push(`answer ${id}`));
  receive([
    [frameType.response, 1],
    [frameType.done, 7],
    [frameType.response, 2],
    [frameType.call, 3],
  ]);
  expect(seen).toEqual(["response 1", "answer 7", "response 2", "call"]);
  await answer;
});

test("an answer that cannot be read fails its request, and later frames arrive", async () => {
  const { connection, seen, receive } = connected();
  const answer = connection.askWithId(7, ...nothing, () => {
    throw new RangeError("too short");
  });
  receive([
    [frameType.done, 7],
    [frameType.response, 1],
  ]);
  await expect(answer).rejects.toThrow("too short");
  expect(seen).toEqual(["response 1"]);
});
