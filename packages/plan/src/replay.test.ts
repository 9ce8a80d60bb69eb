import { expect, test } from "vitest";
import { replay } from "./replay.ts";
import { simulate } from "./simulate.ts";
import { step, system } from "./system.fixture.ts";

const pace = [
  { us: 100, shares: [0.1, 0.2] },
  { us: 1000, shares: [0.9] },
];

test("each share lasts as long as its execution, and after the last one comes the first one", () => {
  const share = replay(pace, 0);
  const times = [0, 99, 100, 199, 200, 1199, 1200, 1300, 1400, 12_000, 15_700, 16_100];
  expect(times.map(share)).toEqual([0.1, 0.1, 0.2, 0.2, 0.9, 0.9, 0.1, 0.2, 0.9, 0.1, 0.2, 0.9]);
});

test("a simulation may start anywhere in it", () => {
  expect(replay(pace, 0.5)(0)).toBe(0.9);
  expect(replay(pace, 0.1)(70)).toBe(0.2);
});

test("slow executions in a row delay more requests than the same executions in random order", () => {
  const times = [[{ rows: 1, us: [1000, 1800] }]];
  const slow = system({
    steps: [step(0, { times })],
    pace: [
      { us: 1000, shares: Array(1000).fill(0) },
      { us: 1000, shares: Array(1000).fill(1) },
    ],
  });
  const p99 = (of: typeof slow): number => simulate(of, { rate: 600, requests: 50_000, seed: 1 }).p99;
  expect(p99(slow)).toBeGreaterThan(2 * p99({ ...slow, pace: undefined }));
  // The mean service time is the same in both.
  const idle = (of: typeof slow): number => simulate(of, { rate: 1, requests: 20_000, seed: 1 }).mean;
  expect(idle(slow) / idle({ ...slow, pace: undefined })).toBeCloseTo(1, 1);
});
