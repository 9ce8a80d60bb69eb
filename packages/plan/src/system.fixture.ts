import type { SimulatedStep, Station, System } from "./system.ts";

export const station = (given: Partial<Station> = {}): Station => ({
  model: "m",
  instances: 1,
  threads: 0,
  maxBatchSize: 0,
  ...given,
});

/** A step that always takes this long, however many rows it has. */
export const step = (us: number, given: Partial<SimulatedStep> = {}): SimulatedStep => ({
  station: 0,
  after: [],
  times: [[{ rows: 1, us: [us] }]],
  shapes: [""],
  ...given,
});

/** One model that takes 1 ms. */
export const system = (given: Partial<System> = {}): System => ({
  stations: [station()],
  steps: [step(1000)],
  kinds: [1],
  cores: 4,
  outside: [],
  ...given,
});
