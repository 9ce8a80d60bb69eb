import { expect, test } from "vitest";
import { holds, simulateAt } from "./capacity.ts";
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
