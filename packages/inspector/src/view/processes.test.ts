import { expect, test } from "vitest";
import type { Live, ProcessView } from "../api.ts";
import { processRows } from "./processes.ts";

const one = (instance: string, more: Partial<ProcessView> = {}): ProcessView => ({
  model: "m",
  version: "1",
  instance,
  runs: "Python",
  state: "idle",
  pid: 7,
  restarts: 0,
  ...more,
});
const at = (seconds: number, ...processes: readonly ProcessView[]): Live => ({
  at: seconds * 1000,
  facts: [],
  models: [],
  processes,
});

test("the load is the processor time since the first reading of the same process", () => {
  const looks = [
    at(1, one("m_0_0", { cpu: 500 })),
    at(2, one("m_0_0", { cpu: 1500 })),
    at(3, one("m_0_0", { cpu: 2000 })),
  ];
  expect(processRows(looks)).toEqual([one("m_0_0", { cpu: 2000, load: 0.75 } as object)]);
});

test("a process that was replaced has no load yet, and one that is restarting has none", () => {
  const looks = [at(1, one("m_0_0", { cpu: 500 })), at(2, one("m_0_0", { cpu: 20, pid: 8, restarts: 1 }))];
  expect(processRows(looks)[0]?.load).toBeUndefined();
  const { pid: _, ...restarting } = one("m_0_0", { state: "restarting" });
  expect(processRows([at(1, restarting), at(2, restarting)])).toEqual([restarting]);
});

test("instances are in the order of their numbers, and a server may not report its processes", () => {
  const looks = [at(1, one("m_0_10"), one("m_0_2"))];
  expect(processRows(looks).map(({ instance }) => instance)).toEqual(["m_0_2", "m_0_10"]);
  expect(processRows([{ at: 0, facts: [], models: [] }])).toEqual([]);
  expect(processRows([])).toEqual([]);
});
