import { expect, test } from "vitest";
import { eventReader } from "./http-target.ts";

const readIn = (size: number, bytes: Buffer): readonly string[] => {
  const read: string[] = [];
  const take = eventReader((event) => read.push(event));
  for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
  return read;
};

test.each([1, 2, 3, 5, 100, 10_000])("events are found in chunks of %i bytes", (size) => {
  const events = ["", "a", '{"x":"é😀"}', "b\nc", "d".repeat(300)];
  const sent = events.map((event) => `data: ${event}\n\n`).join("");
  expect(readIn(size, Buffer.from(`${sent}data: unfinished`))).toEqual(events);
});

test("the chunks of a long event are joined once", () => {
  const long = "é".repeat(2 ** 22);
  const began = performance.now();
  const [read] = readIn(2 ** 10, Buffer.from(`data: ${long}\n\n`));
  expect(performance.now() - began).toBeLessThan(2000);
  expect(read === long).toBe(true);
});
