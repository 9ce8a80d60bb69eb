import { expect, test } from "vitest";
import { createTurns } from "./take-turns.ts";

test("work waits for its turn, and is never started if its client disconnects first", async () => {
  const take = createTurns(1);
  const begun: string[] = [];
  let end = (): void => {};
  const gone = new AbortController();
  const work = (name: string) => async () => {
    begun.push(name);
    if (name === "first") await new Promise<void>((resolve) => (end = resolve));
    return name;
  };
  const first = take(undefined, work("first"));
  const abandoned = take(gone.signal, work("abandoned"));
  const last = take(undefined, work("last"));
  gone.abort();
  await expect(abandoned).rejects.toMatchObject({ code: "request/cancelled" });
  await expect(take(gone.signal, work("too late"))).rejects.toMatchObject({ code: "request/cancelled" });
  expect(begun).toEqual(["first"]);
  end();
  expect(await Promise.all([first, last])).toEqual(["first", "last"]);
  expect(begun).toEqual(["first", "last"]);
});

test("work that fails releases its turn", async () => {
  const take = createTurns(1);
  await expect(take(undefined, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await take(undefined, async () => "next")).toBe("next");
});
