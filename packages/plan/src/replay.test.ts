import { expect, test } from "vitest";
import { capacityOf } from "./capacity.ts";
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

test("a simulation that is shorter than the record meets all of its parts", () => {
  const record = [0, 0.25, 0.5, 0.75].map((share) => ({ us: 1000, shares: Array(5000).fill(share) }));
  const share = replay(record, 0, 2_000_000);
  expect([0, 499_999, 500_000, 1_000_000, 1_999_999].map(share)).toEqual([0, 0, 0.25, 0.5, 0.75]);
  const longer = replay(record, 0, 30_000_000);
  expect([0, 4_999_999, 5_000_000, 19_999_999, 20_000_000].map(longer)).toEqual([0, 0, 0.25, 0.75, 0]);
});

test("a capacity depends little on the seed, although the record has slow parts of several seconds", () => {
  const changing = system({
    steps: [step(0, { times: [[{ rows: 1, us: [300, 900] }]] })],
    pace: Array.from({ length: 8 }, (_, i) => ({ us: 500, shares: Array(5000).fill(i % 4 === 3 ? 1 : 0) })),
  });
  const capacities = [1, 2, 3, 4, 5, 6].map((seed) => capacityOf(changing, { p99: 20, seed }) ?? 0);
  expect(Math.max(...capacities) / Math.min(...capacities)).toBeLessThan(1.15);
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
