import { spawnSync } from "node:child_process";
import { Worker } from "node:worker_threads";
import { once } from "node:events";
import { expect, test } from "vitest";
import { hasEnded, processMark } from "./has-ended.ts";

const [machine = "", boot = "", started = ""] = processMark.split(".");

test("a process that runs has not ended, and one that has ended is known by its ID", () => {
  expect([hasEnded(process.pid), hasEnded(process.pid, processMark), hasEnded(process.ppid)]).toEqual([
    false,
    false,
    false,
  ]);
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  expect([hasEnded(pid), hasEnded(pid, processMark)]).toEqual([true, true]);
});

test("an earlier process with the ID of this one has ended, and so have all before the machine's last start", () => {
  const earlier = `${machine}.${boot}.${Number(started) - 5000}`;
  expect(hasEnded(process.pid, earlier)).toBe(true);
  // The mark of another running process cannot be checked.
  expect(hasEnded(process.ppid, earlier)).toBe(false);
  expect(hasEnded(process.ppid, `${machine}.00000000.${started}`)).toBe(true);
});

test("nothing is known about the processes of other machines", () => {
  expect(hasEnded(99_999_999, `00000000.${boot}.${started}`)).toBe(false);
});

test("all threads of a process have the same mark, except for rounding", async () => {
  const code = `require("node:worker_threads").parentPort.postMessage(
    Number(process.hrtime.bigint()) / 1e6 - process.uptime() * 1000)`;
  const [at]: readonly unknown[] = await once(new Worker(code, { eval: true }), "message");
  expect(Math.abs(Number(at) - Number(started))).toBeLessThan(20);
});
