import type { TimesAt } from "./service-times.ts";
import type { SimulatedStep, Station, System } from "./system.ts";

export const station = (given: Partial<Station> = {}): Station => ({
  model: "m",
  instances: 1,
  threads: 0,
  maxBatchSize: given.batching?.maxBatchSize ?? 0,
  ...given,
});

/** The same time for any number of rows. */
export const always = (us: number): readonly TimesAt[] => [1, 2].map((rows) => ({ rows, us: [us] }));

/** A step that always takes this long, regardless of its number of rows. */
export const step = (us: number, given: Partial<SimulatedStep> = {}): SimulatedStep => ({
  station: 0,
  after: [],
  times: [always(us)],
  shapes: [""],
  ...given,
});

/** One model that takes 1 ms. */
export const system = (given: Partial<System> = {}): System => ({
  stations: [station()],
  steps: [step(1000)],
  kinds: [1],
  cores: 4,
  outside: { us: [], processor: 0 },
  ...given,
});
