import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test.each(["at", "later"] as const)(
  "`%s` does not call back at once for a time in a hundred years",
  async (method) => {
    let calls = 0;
    const stop = systemClock[method](3e15, () => calls++);
    await sleep(20);
    stop();
    expect(calls).toBe(0);
  },
);
