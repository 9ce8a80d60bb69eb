import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { inSlices } from "./in-slices.ts";

const large = 10_000_000;
/** Steps of one millisecond each. */
function* work(steps: number, done: () => void): Generator<undefined, string> {
  for (let i = 0; i < steps; i++) {
    for (const end = performance.now() + 1; performance.now() < end; );
    done();
    yield;
  }
  return "done";
}

it("lets other work run between slices of large messages, which take turns", async () => {
  const order: string[] = [];
  const all = ["a", "b"].map(async (name) =>
    inSlices(
      work(60, () => order.push(name)),
      large,
    ),
  );
  await turn();
  await turn();
  await turn();
  expect(order.length).toBeGreaterThan(0);
  expect(order.length).toBeLessThan(120);
  expect(new Set(order)).toEqual(new Set(["a", "b"]));
  expect(await Promise.all(all)).toEqual(["done", "done"]);
});

it("reads a short message in one step", () => {
  let steps = 0;
  void inSlices(
    work(3, () => steps++),
    10,
  );
  expect(steps).toBe(3);
});

it("stops when the client has gone", async () => {
  const client = new AbortController();
  let steps = 0;
  const reading = inSlices(
    work(10_000, () => steps++),
    large,
    client.signal,
  );
  await turn();
  await turn();
  client.abort();
  await expect(reading).rejects.toMatchObject({ code: "request/cancelled" });
  expect(steps).toBeLessThan(1000);
});
