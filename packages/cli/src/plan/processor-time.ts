import { readdirSync, readFileSync } from "node:fs";
import { attempt } from "@tritype/core";

/** Processor time in microseconds. */
export interface ProcessorTime {
  /** That of the process itself. */
  readonly own: number;
  /** That of its descendants. */
  readonly children: number;
}

/**
 * The processor time that a process has used so far; undefined if the system does not report it (only Linux does).
 * Threads and children that have ended do not count.
 */
export const processorTimeOf = (pid: number): ProcessorTime | undefined => {
  const tasks = namesIn(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  const own = tasks
    .map((task) => Number(textOf(`${task}/schedstat`)?.split(" ")[0]) / 1000)
    .filter((time) => !Number.isNaN(time));
  if (own.length === 0) return undefined;
  const children = sum(
    tasks
      .flatMap((task) => textOf(`${task}/children`)?.trim().split(" ").filter(Boolean) ?? [])
      .map((child) => {
        const time = processorTimeOf(Number(child));
        return time === undefined ? 0 : time.own + time.children;
      }),
  );
  return { own: sum(own), children };
};

const sum = (times: readonly number[]): number => times.reduce((total, time) => total + time, 0);

const namesIn = (folder: string): readonly string[] => attempt(() => readdirSync(folder)) ?? [];

const textOf = (path: string): string | undefined => attempt(() => readFileSync(path, "utf8"));
