import { readdirSync, readFileSync } from "node:fs";

/**
 * The processor time that a process and its children have used so far, in microseconds; undefined if the system does not report it (only
 * Linux does). Threads and children that have ended do not count.
 */
export const processorTimeOf = (pid: number): number | undefined => {
  const threads = namesIn(`/proc/${pid}/task`);
  const times = threads.flatMap((thread) => {
    const task = `/proc/${pid}/task/${thread}`;
    const own = Number(textOf(`${task}/schedstat`)?.split(" ")[0]) / 1000;
    const children = textOf(`${task}/children`)?.trim().split(" ").filter(Boolean) ?? [];
    return [own, ...children.map((child) => processorTimeOf(Number(child)) ?? 0)];
  });
  const known = times.filter((time) => !Number.isNaN(time));
  return known.length === 0 ? undefined : known.reduce((sum, time) => sum + time, 0);
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
};
