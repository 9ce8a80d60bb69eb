import { expect, test } from "vitest";
import { capacityOf, holds, simulateAt } from "./capacity.ts";
import { system } from "./system.fixture.ts";

test("fewer random arrivals than the nominal rate do not count as missing answers", () => {
  // With this seed, 3.7 % fewer requests arrive.
  const limit = { p99: 50, seed: 844 };
  const idle = simulateAt(system(), 10, limit);
  expect(idle.perSecond).toBeLessThan(9.7);
  expect(holds(idle, limit)).toBe(true);
});

test("a server that answers fewer requests than arrive cannot handle the load", () => {
  const simulated = simulateAt(system(), 10, { p99: 50, seed: 1 });
  const perSecond = 0.96 * simulated.arrivalsPerSecond;
  expect(holds({ ...simulated, perSecond }, { p99: 50, seed: 1 })).toBe(false);
});

test.each([20, 1000, 100_000])(
  "with a limit of %i ms, the capacity is at most what the model can do",
  (p99) => {
    const capacity = capacityOf(system(), { p99, seed: 1 });
    expect(capacity).toBeGreaterThan(800);
    expect(capacity).toBeLessThan(1040);
  },
);
