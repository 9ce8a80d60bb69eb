import { expect, test } from "vitest";
import { gatherCalls } from "./gather-calls.ts";

/** Converts to upper case; rejects a call that contains the text "bad". */
const recorded = () => {
  const calls: (readonly string[])[] = [];
  const encode = gatherCalls(async (texts: readonly string[]) => {
    calls.push(texts);
    if (texts.includes("bad")) throw new Error("bad");
    return texts.map((text) => text.toUpperCase());
  });
  return { calls, encode };
};

test("requests from the same turn are sent together, and each gets its own rows", async () => {
  const { calls, encode } = recorded();
  const answers = await Promise.all([encode(["a", "b"]), encode([]), encode(["c"])]);
  expect(answers).toEqual([["A", "B"], [], ["C"]]);
  expect(calls).toEqual([["a", "b", "c"]]);
  expect(await encode(["d"])).toEqual(["D"]);
  expect(calls).toHaveLength(2);
});

test("long texts and many rows do not delay other requests", async () => {
  const { calls, encode } = recorded();
  const long = "x".repeat(4096);
  const many = Array.from({ length: 32 }, (_, i) => `t${i}`);
  await Promise.all([encode(["a"]), encode([long]), encode(many), encode(["b"])]);
  expect(calls).toEqual([[long], many, ["a", "b"]]);
});

test("a text that cannot be encoded fails only its own request", async () => {
  const { encode } = recorded();
  const settled = await Promise.allSettled([encode(["a"]), encode(["bad"]), encode(["b"])]);
  expect(settled).toMatchObject([
    { status: "fulfilled", value: ["A"] },
    { status: "rejected", reason: { message: "bad" } },
    { status: "fulfilled", value: ["B"] },
  ]);
});
