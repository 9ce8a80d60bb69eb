import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { keepThread, takeThread } from "./idle-threads.ts";

const file = new URL("data:text/javascript,setInterval(() => {}, 1000)");
const take = (): ReturnType<typeof takeThread> => {
  const thread = takeThread(file);
  onTestFinished(async () => void (await thread.terminate()));
  return thread;
};

test("the next model gets the thread of a released one, unless the thread has ended", async () => {
  const first = take();
  keepThread(file, first);
  expect(take()).toBe(first);
  const second = take();
  expect(second).not.toBe(first);
  keepThread(file, first);
  keepThread(file, second);
  await first.terminate();
  expect(take()).toBe(second);
  expect([first, second]).not.toContain(take());
});

test("a thread that is released again is kept for as long as after the first time", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const thread = take();
  keepThread(file, thread);
  vi.advanceTimersByTime(3000);
  expect(take()).toBe(thread);
  keepThread(file, thread);
  vi.advanceTimersByTime(3000);
  expect(take()).toBe(thread);
});

test("a thread that no model needs ends", async () => {
  const thread = take();
  keepThread(file, thread);
  await once(thread, "exit");
  expect(take()).not.toBe(thread);
});
