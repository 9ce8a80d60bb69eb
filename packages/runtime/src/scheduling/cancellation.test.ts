import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "./cancellation.ts";

test("each function is called once, in the order in which they were given", () => {
  const stop = new AbortController();
  const called: string[] = [];
  const act = (): void => void called.push("twice");
  onAbort(stop.signal, () => void called.push("first"));
  onAbort(stop.signal, act);
  const forget = onAbort(stop.signal, () => void called.push("forgotten"));
  onAbort(stop.signal, act);
  forget();
  stop.abort();
  stop.abort();
  expect(called).toEqual(["first", "twice", "twice"]);
});

test("a function that an earlier one removes is not called", () => {
  const stop = new AbortController();
  const called: string[] = [];
  onAbort(stop.signal, () => forget());
  const forget = onAbort(stop.signal, () => void called.push("forgotten"));
  stop.abort();
  expect(called).toEqual([]);
});

test("a signal has one listener, regardless of the number of functions", () => {
  const { signal } = new AbortController();
  const forget = Array.from({ length: 1000 }, () => onAbort(signal, () => {}));
  for (const one of forget) one();
  onAbort(signal, () => {});
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
});
