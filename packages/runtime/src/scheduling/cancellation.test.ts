import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { abortSignalOf, Cancellation, type CancelSignal, onAbort } from "./cancellation.ts";

/** Both kinds of signals, each with a function that aborts it. */
const kinds: readonly (readonly [
  name: string,
  make: () => { readonly signal: CancelSignal; readonly abort: () => void },
])[] = [
  [
    "AbortSignal",
    () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort() };
    },
  ],
  [
    "Cancellation",
    () => {
      const signal = new Cancellation();
      return { signal, abort: () => signal.abort() };
    },
  ],
];

test.each(kinds)("%s: each function is called once, in the order in which they were given", (_, make) => {
  const stop = make();
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

test.each(kinds)("%s: a function that an earlier one removes is not called", (_, make) => {
  const stop = make();
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

test("a Cancellation as an AbortSignal is aborted with it, or already aborted", () => {
  const signal = new Cancellation();
  const early = abortSignalOf(signal);
  expect([signal.aborted, early.aborted]).toEqual([false, false]);
  signal.abort();
  expect([signal.aborted, early.aborted, abortSignalOf(signal).aborted]).toEqual([true, true, true]);
});
