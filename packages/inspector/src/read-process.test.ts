import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { processorTime, readProcess } from "./read-process.ts";

test("the processor time is read from a line whose name contains spaces and parentheses", () => {
  const fields = "S 1 42 42 0 -1 4194560 700 0 0 0 250 17 0 0 20 0 11 0 100 200 300";
  expect(processorTime(`42 (python) (x 3.1) ${fields}`)).toBe(2670);
});

test("a running process has memory and processor time, where the system has /proc", () => {
  const { memory, cpu } = readProcess(process.pid);
  if (memory === undefined || cpu === undefined) {
    expect(existsSync("/proc/self/status")).toBe(false);
    return;
  }
  expect(memory).toBeGreaterThan(10_000_000);
  expect(memory).toBeLessThan(process.resourceUsage().maxRSS * 1024 * 1.01);
  expect(Math.abs(cpu - process.cpuUsage().user / 1000 - process.cpuUsage().system / 1000)).toBeLessThan(
    1000,
  );
});

test("a process that does not exist has neither", () => {
  expect(readProcess(2 ** 30)).toEqual({});
});
