import { expect, test } from "vitest";
import type { ServerTrace } from "./open-trace.ts";
import { tracedPieces } from "./traced-answer.ts";

test("a trace that begins with the first piece is recorded and ended", async () => {
  const events: string[] = [];
  let trace: ServerTrace | undefined;
  async function* pieces() {
    trace = {
      answered: true,
      moment: (name: string) => void events.push(name),
      release: () => void events.push("released"),
    } as unknown as ServerTrace;
    yield "a";
    yield "b";
  }
  const answer = tracedPieces({ status: 200, headers: {}, pieces: pieces() }, () => trace);
  const read = [];
  for await (const piece of answer.pieces) read.push(piece);
  expect(read).toEqual(["a", "b"]);
  const piece = ["HTTP_SEND_START", "HTTP_SEND_END"];
  expect(events).toEqual([...piece, ...piece, "released"]);
});
