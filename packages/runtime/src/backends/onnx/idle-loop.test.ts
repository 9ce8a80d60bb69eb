import { expect, test } from "vitest";
import { idleLoop } from "./idle-loop.ts";

test("a loop is idle once it waits half of the time, until it is almost always busy", () => {
  let [time, active, idle] = [0, 0, 0];
  const isIdle = idleLoop(
    (current, earlier) => {
      if (current === undefined || earlier === undefined) return { active, idle, utilization: 0 };
      const [ran, waited] = [current.active - earlier.active, current.idle - earlier.idle];
      return { active: ran, idle: waited, utilization: ran / (ran + waited) };
    },
    () => time,
  );
  /** Whether it is idle after so many milliseconds, of which a share is spent running. */
  const after = (milliseconds: number, share: number): boolean => {
    time += milliseconds;
    active += milliseconds * share;
    idle += milliseconds * (1 - share);
    return isIdle();
  };
  expect(isIdle()).toBe(false);
  expect(after(99, 0)).toBe(false);
  expect(after(1, 0)).toBe(true);
  expect(after(100, 0.9)).toBe(true);
  expect(after(100, 0.96)).toBe(false);
  expect(after(100, 0.6)).toBe(false);
  expect(after(100, 0.4)).toBe(true);
});

test("the event loop of a thread that waits is idle", async () => {
  const isIdle = idleLoop();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(isIdle()).toBe(true);
});
