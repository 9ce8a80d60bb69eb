import { expect, test } from "vitest";
import { loadTogether } from "./load-together.ts";

test("four items load at a time; they start in order, and their results are in order", async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const loading = loadTogether([0, 1, 2, 3, 4, 5], async (item) => {
    begun.push(item);
    await new Promise<void>((resolve) => {
      ends[item] = resolve;
    });
    return item * 10;
  });
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const [ended, now] of [
    [3, [0, 1, 2, 3, 4]],
    [0, [0, 1, 2, 3, 4, 5]],
  ] as const) {
    ends[ended]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(now);
  }
  for (const end of ends) end();
  expect(await loading).toEqual([0, 10, 20, 30, 40, 50]);
});

test("an empty list resolves immediately", async () => {
  expect(await loadTogether([], () => Promise.reject(new Error("never")))).toEqual([]);
});
