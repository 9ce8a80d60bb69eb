import { describe, expect, test } from "vitest";
import { simulate } from "./simulate.ts";
import { always, station, step, system } from "./system.fixture.ts";

const load = (rate: number, requests = 100_000) => ({ rate, requests, seed: 1 });
/** Expects a number within this share of the value. */
const near = (value: number, share = 0.04) => ({
  asymmetricMatch: (found: number) => Math.abs(found - value) <= share * value,
  toString: () => `within ${share * 100} % of ${value}`,
});

describe("known results", () => {
  test.each([0.3, 0.5, 0.8, 0.9])("M/D/1 at utilization %s: the mean waiting time is ρ / 2(1 - ρ)", (ρ) => {
    // A single run of a busy queue is off by a few percent; the mean over several seeds is not.
    const waits = Array.from({ length: ρ > 0.8 ? 8 : 2 }, (_, i) => i + 1).map(
      (seed) => simulate(system({}), { rate: ρ * 1000, requests: 50_000, seed }).mean - 1,
    );
    expect(waits.reduce((sum, wait) => sum + wait, 0) / waits.length).toEqual(near(ρ / (2 * (1 - ρ)), 0.06));
    const { mean, stations, perSecond } = simulate(system({}), load(ρ * 1000));
    expect(stations[0]?.queued).toBeCloseTo(mean - 1, 6);
    expect(stations[0]?.utilization).toEqual(near(ρ));
    expect(perSecond).toEqual(near(ρ * 1000));
  });

  test("M/M/1: the mean time is S / (1 - ρ), and p99 is ln 100 times as long", () => {
    const exponential = Array.from({ length: 4000 }, (_, i) => -Math.log(1 - (i + 0.5) / 4000) * 1000);
    const { mean, p99 } = simulate(
      system({ steps: [step(0, { times: [[{ rows: 1, us: exponential }]] })] }),
      load(500, 200_000),
    );
    expect(mean).toEqual(near(2));
    expect(p99).toEqual(near(2 * Math.log(100), 0.06));
  });

  test("without a limit on instances, no request waits", () => {
    const { p50, p99 } = simulate(system({ stations: [station({ instances: Infinity })] }), load(5000));
    expect([p50, p99]).toEqual([1, 1]);
  });

  test("only a server that has been idle takes the longer time of an idle server", () => {
    const outside = { us: [1000], processor: 0, idle: [3000] };
    const idle = system({ stations: [station({ instances: Infinity })], outside });
    expect(simulate(idle, load(1, 1000)).p50).toBeCloseTo(4, 6);
    expect(simulate(idle, load(5000)).p99).toBeCloseTo(2, 6);
  });

  test("all executions share one processor: the mean time is S / (1 - ρ)", () => {
    const shared = system({ stations: [station({ instances: Infinity, threads: 1 })], cores: 1 });
    const { mean, processors } = simulate(shared, load(700));
    expect(mean).toEqual(near(1 / 0.3, 0.06));
    expect(processors).toEqual(near(0.7));
  });

  test("two steps in a row: after a slower step of constant time, no request waits", () => {
    const tandem = system({
      stations: [station({ model: "a" }), station({ model: "b" })],
      steps: [step(1000), step(800, { station: 1, after: [0] })],
    });
    const { mean, stations } = simulate(tandem, load(800));
    expect(stations[1]?.queued).toBeCloseTo(0, 6);
    expect(mean).toEqual(near(0.8 / 0.4 + 1.8, 0.06));
  });

  test("while an execution pauses, another one has the processor", () => {
    const times = [[{ rows: 1, us: [1000], pause: 400 }]];
    const parallel = system({
      stations: ["a", "b"].map((model) => station({ model, threads: 1 })),
      steps: [0, 1].map((at) => step(1000, { station: at, times })),
      cores: 1,
    });
    expect(simulate(parallel, load(0.1, 1000)).p99).toBeCloseTo(1.6, 6);
  });

  test("parallel steps: a request takes as long as the slower one", () => {
    const parallel = system({
      stations: [station({ model: "a" }), station({ model: "b" })],
      steps: [step(1000), step(3000, { station: 1 }), step(500, { station: 0, after: [0, 1] })],
    });
    expect(simulate(parallel, load(0.1, 1000)).p99).toBeCloseTo(3.5, 6);
  });

  test("a batch forms until the oldest request has waited for the delay", () => {
    const batching = { maxBatchSize: 1000, preferred: [1000], delay: 10_000 };
    const delayed = system({
      stations: [station({ instances: Infinity, batching })],
      steps: [step(500)],
    });
    const { stations, p99 } = simulate(delayed, load(300));
    // The first request opens the batch; those of the following 10 ms join it.
    expect(stations[0]?.batch).toEqual(near(1 + 300 * 0.01));
    expect(p99).toBeCloseTo(10.5, 6);
  });

  test("a full batch does not wait for the delay", () => {
    const batching = { maxBatchSize: 4, preferred: [4], delay: 1_000_000 };
    const { stations, p99 } = simulate(
      system({ stations: [station({ instances: Infinity, batching })], steps: [step(500)] }),
      load(4000),
    );
    expect(stations[0]?.batch).toEqual(near(4, 0.01));
    expect(p99).toBeLessThan(5);
  });

  test("at saturation, instances run full batches without a pause", () => {
    const batching = { maxBatchSize: 8, preferred: [8], delay: 0 };
    const times = [[1, 2, 4, 8].map((rows) => ({ rows, us: [2000 + 500 * rows] }))];
    const { perSecond, stations } = simulate(
      system({ stations: [station({ instances: 2, batching })], steps: [step(0, { times })] }),
      load(10_000, 50_000),
    );
    expect(perSecond).toEqual(near((2 * 8) / 0.006, 0.02));
    expect(stations[0]).toEqual({
      model: "m",
      batch: near(8, 0.01),
      utilization: near(1, 0.01),
      queued: expect.any(Number),
    });
  });

  test("at saturation, two models that each use both processors get one each", () => {
    const both = system({
      stations: [station({ model: "a", threads: 2 }), station({ model: "b", threads: 2 })],
      steps: [step(1000), step(1000, { station: 1, after: [0] })],
      cores: 2,
    });
    const { perSecond, processors } = simulate(both, load(2000, 20_000));
    expect(perSecond).toEqual(near(500));
    expect(processors).toEqual(near(1, 0.01));
  });
});

describe("requests of several kinds", () => {
  const batching = { maxBatchSize: 8, preferred: [8], delay: 5000 };
  const kinds = {
    kinds: [1, 1],
    stations: [station({ instances: Infinity, batching })],
    steps: [step(0, { times: [always(1000), always(4000)], shapes: ["4", "4"] })],
  };

  test("a batch takes as long as its longest request", () => {
    const { p50, stations } = simulate(system(kinds), load(2000, 20_000));
    expect(p50).toBeGreaterThan(4);
    expect(stations[0]?.batch).toBeGreaterThan(4);
  });

  test("requests with different shapes do not share a batch", () => {
    const steps = kinds.steps.map((one) => ({ ...one, shapes: ["4", "16"] }));
    const { stations } = simulate(system({ ...kinds, steps }), load(2000, 20_000));
    expect(stations[0]?.batch).toEqual(near(2, 0.1));
  });

  test("the number of rows affects the time", () => {
    const { stations } = simulate(
      system({
        ...kinds,
        kinds: [4, 4],
        steps: [step(500, { times: [always(500), always(500)], shapes: ["", ""] })],
      }),
      load(4000, 20_000),
    );
    expect(stations[0]?.batch).toEqual(near(8, 0.05));
  });
});

test("a model without batches takes its measured time, however many rows the ensemble's request has", () => {
  const steps = [step(0, { times: [[{ rows: 1, us: [500] }]] })];
  expect(simulate(system({ kinds: [4], steps }), load(0.1, 1000)).p50).toBeCloseTo(0.5, 6);
});

test("the rate of the arrivals is that of the simulated requests, not the nominal one", () => {
  const { arrivalsPerSecond, perSecond } = simulate(system({}), load(1, 200));
  expect(arrivalsPerSecond).toEqual(near(1, 0.3));
  expect(arrivalsPerSecond).not.toEqual(near(1, 0.001));
  expect(perSecond).toEqual(near(arrivalsPerSecond, 0.01));
});

test("latencies include the time outside the models", () => {
  expect(simulate(system({ outside: { us: [250], processor: 0 } }), load(0.1, 1000)).p50).toBeCloseTo(
    1.25,
    6,
  );
  // A delay does not use the models' processors.
  const far = system({
    stations: [station({ threads: 1 })],
    outside: { us: [50_000], processor: 0 },
    cores: 1,
  });
  const { perSecond, processors } = simulate(far, load(800, 20_000));
  expect([perSecond, processors]).toEqual([near(800), near(0.8)]);
});

test("the processor time outside the models is part of that time, and limits the server", () => {
  const gpu = { stations: [station({ instances: Infinity })], steps: [step(100)], cores: 1 };
  const busy = system({ ...gpu, outside: { us: [1500], processor: 1000 } });
  expect(simulate(busy, load(0.1, 1000)).p50).toBeCloseTo(1.6, 6);
  const { perSecond, processors } = simulate(busy, load(2000, 20_000));
  expect([perSecond, processors]).toEqual([near(1000), near(1)]);
});

test("with a limit, the simulation ends when the 99th percentile is certain to exceed the limit", () => {
  const limited = (limit: number) => simulate(system({}), { ...load(2000, 20_000), limit });
  expect(limited(1e6)).toEqual(simulate(system({}), load(2000, 20_000)));
  const late = limited(10);
  expect(late.p99).toBe(Infinity);
  expect(late.p50).toBeLessThan(2000);
});

test("the same seed gives the same result, and a different seed gives a different one", () => {
  const run = (seed: number) => simulate(system({}), { rate: 700, requests: 5000, seed });
  expect(run(7)).toEqual(run(7));
  expect(run(8)).not.toEqual(run(7));
});
