import { readdirSync, readFileSync } from "node:fs";

const read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** The descendants of a process: their ids and command lines. */
export const descendantsOf = (pid) =>
  readdirOf(`/proc/${pid}/task`)
    .flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).trim().split(" "))
    .filter((child) => child !== "")
    .flatMap((child) => [
      { pid: Number(child), command: read(`/proc/${child}/cmdline`).split("\0") },
      ...descendantsOf(child),
    ]);

const readdirOf = (path) => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

/** Microseconds of processor time that the threads of a process have taken. */
export const processorTime = (pid) =>
  readdirOf(`/proc/${pid}/task`)
    .map((thread) => Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / 1000)
    .reduce((sum, one) => sum + one, 0);

/** Resident memory of a process in MB. */
export const residentMemory = (pid) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1]) / 1024);
