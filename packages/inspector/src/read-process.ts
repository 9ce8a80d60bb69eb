import { readFileSync } from "node:fs";
import { attempt } from "@tritype/core";
import type { ProcessView } from "./api.ts";

/** The kernel's unit of time in `/proc`, in milliseconds: 1/100 s on every architecture that Node supports. */
const tick = 10;
const kilobyte = 1024;

/** The current memory and processor time of a process; empty on systems without `/proc` and for a process that has ended. */
export const readProcess = (pid: number): Pick<ProcessView, "memory" | "cpu"> =>
  attempt(() => {
    const memory = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    const cpu = processorTime(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return { cpu, ...(memory === undefined ? {} : { memory: Number(memory) * kilobyte }) };
  }) ?? {};

/** The fields `utime` and `stime`. The name before them, in parentheses, may contain anything. */
export const processorTime = (stat: string): number => {
  const [, , , , , , , , , , , user = 0, system = 0] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(user) + Number(system)) * tick;
};
