import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { attempt } from "@tritype/core";

const short = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

const machine = short(hostname());
/** Linux only. */
const boot = short(attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")) ?? "");
/** Milliseconds from the machine's start to that of this process: the wall clock may jump. All threads agree, except for rounding. */
const started = Math.round(Number(process.hrtime.bigint()) / 1e6 - process.uptime() * 1000);

/**
 * Distinguishes this process from others with the same ID: after a restart of a container, its processes often have the same IDs as
 * before.
 */
export const processMark: string = `${machine}.${boot}.${started}`;

/**
 * Whether a process of this machine has ended. A process of another user counts as running.
 * @param mark Its `processMark`, if known; a process of another machine counts as running.
 */
export const hasEnded = (pid: number, mark?: string): boolean => {
  if (mark !== undefined) {
    const [onMachine, atBoot, at] = mark.split(".");
    if (onMachine !== machine) return false;
    if (atBoot !== boot || (pid === process.pid && Math.abs(Number(at) - started) > tolerance)) return true;
  }
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
};

const tolerance = 100;
