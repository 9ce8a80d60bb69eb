import { describe, expect, test } from "vitest";
import { tryChanges } from "./changes.ts";
import { type Demand, findPlan, type Plan } from "./find-plan.ts";
import { station, step, system } from "./system.fixture.ts";

const demand = (rate: number, p99: number): Demand => ({ rate, p99, seed: 1 });
const batching = { maxBatchSize: 8, preferred: [8], delay: 0 };

const planFor = (...[given, wanted]: Parameters<typeof findPlan>): Plan => {
  const plan = findPlan(given, wanted);
  if (plan.kind !== "plan") throw new Error(`no plan: ${plan.why}`);
  return plan;
};

describe("replicas", () => {
  test("a load below the capacity of one server needs one server", () => {
    const { replicas, server, capacity } = planFor(system(), demand(100, 50));
    expect(replicas).toBe(1);
    expect(server.p99).toBeLessThan(50);
    // A batch may take 50 ms and an execution takes 1 ms, so a queue may be long: nearly the whole 1,000 per second.
    expect(capacity).toBeGreaterThan(900);
    expect(capacity).toBeLessThan(1000);
  });

  test("10,000 requests/s need as many servers as their capacity requires", () => {
    const { replicas, capacity, server } = planFor(system(), demand(10_000, 50));
    expect(replicas).toBeGreaterThanOrEqual(Math.ceil(10_000 / capacity));
    expect(replicas).toBeLessThanOrEqual(12);
    expect(server.perSecond * replicas).toBeGreaterThan(9700);
  });

  test("a tighter limit needs more servers", () => {
    expect(planFor(system(), demand(5000, 2)).replicas).toBeGreaterThan(
      planFor(system(), demand(5000, 20)).replicas,
    );
  });

  test("the same seed gives the same plan", () => {
    expect(findPlan(system(), demand(3000, 10))).toEqual(findPlan(system(), demand(3000, 10)));
  });
});

describe("no number of servers meets the limit if", () => {
  test("the service time alone is longer", () => {
    const slow = system({
      stations: [station({ model: "a" }), station({ model: "b" })],
      steps: [step(1000), step(30_000, { station: 1, after: [0] })],
    });
    expect(findPlan(slow, demand(1, 20))).toEqual({
      kind: "none",
      why: "service",
      alone: 31,
      slowest: { model: "b", milliseconds: 30 },
      delay: 0,
    });
  });

  test("the delay of a batch alone is longer", () => {
    const late = system({ stations: [station({ batching: { ...batching, delay: 40_000 } })] });
    expect(findPlan(late, demand(1, 20))).toMatchObject({ why: "delay", alone: 1, delay: 40 });
  });

  test("a load that fills batches before the delay ends meets a limit that a small load does not", () => {
    const late = system({
      stations: [station({ instances: 4, batching: { ...batching, delay: 40_000 } })],
    });
    expect(findPlan(late, demand(1, 20)).kind).toBe("none");
    expect(planFor(late, demand(2000, 20)).replicas).toBe(1);
  });
});

describe("what would change the answer", () => {
  const changes = (...[given, wanted]: Parameters<typeof findPlan>) =>
    new Map(
      tryChanges(given, wanted, findPlan(given, wanted)).map(({ what, plan }) => [
        what,
        plan.kind === "plan" ? plan.replicas : plan.why,
      ]),
    );

  test("batching, another instance of the busiest model, and other limits are tried", () => {
    const times = [[1, 8].map((rows) => ({ rows, us: [1000 + 100 * rows] }))];
    const given = system({
      stations: [station({ maxBatchSize: 8 }), station({ model: "b", threads: 1 })],
      steps: [step(0, { times }), step(100, { station: 1, after: [0] })],
    });
    const found = changes(given, demand(4000, 20));
    expect([...found.keys()]).toEqual([
      "m: dynamic batching",
      "m: 2 instances",
      "p99 within 10 ms",
      "p99 within 40 ms",
    ]);
    expect(found.get("m: dynamic batching")).toBe(1);
    expect(found.get("m: 2 instances")).toBe(3);
  });

  test("batching without a delay is tried if the delay makes the limit impossible", () => {
    const late = system({ stations: [station({ batching: { ...batching, delay: 40_000 } })] });
    expect(changes(late, demand(1, 20)).get("m: batches without a delay")).toBe(1);
  });
});
