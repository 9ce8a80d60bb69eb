import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Clock, machineClock } from "./clock.ts";
import type { Load } from "./load.ts";
import { runLoad, type RunLoadOptions } from "./run-load.ts";
import { percentile } from "@tritype/core";
import { simulatedClock, simulatedServer } from "./simulated-clock.fixture.ts";

const refused = { status: "ECONNREFUSED", message: "no server listens", lost: true };

/** A load of 10 s after 1 s of warm-up, on a simulated clock. */
const simulate = async (
  load: Load,
  server: Parameters<typeof simulatedServer>[1],
  options: Partial<RunLoadOptions> = {},
) => {
  const clock = simulatedClock();
  const target = simulatedServer(clock, server);
  const recording = await clock.run(
    runLoad({
      load,
      target,
      clock,
      warmMs: 1000,
      measureMs: 10_000,
      drainMs: 5000,
      seed: 1,
      signal: new AbortController().signal,
      ...options,
    }),
  );
  return { recording, target, clock };
};
const open = (rate: number, connections = 1000): Load => ({ kind: "open", rate, seed: 7, connections });

test("closed loop: each client sends its next request after the response to its previous one", async () => {
  const { recording, target } = await simulate({ kind: "closed", clients: 4 }, { serviceMs: () => 20 });
  expect(recording.perSecond).toBe(200);
  expect([...new Set(recording.latencies)]).toEqual([20]);
  expect(recording.mostInFlight).toBe(4);
  expect(target.opened()).toBe(4);
  expect(recording.timeline).toEqual(Array.from({ length: 10 }, () => ({ answered: 200, failed: 0 })));
});

test.each<readonly [string, Load, first: number]>([
  ["closed loop", { kind: "closed", clients: 1 }, 20],
  ["open loop with one connection", { ...open(10), connections: 1 } as Load, 20],
])("%s: the responses of a stream have times of their own", async (_, load, first) => {
  const clock = simulatedClock();
  const forever = new AbortController().signal;
  const wait = (ms: number): Promise<void> => clock.until(clock.now() + ms, forever);
  const target = {
    requests: 1,
    open: () => ({
      send: async (__: number, onResponse?: () => void) => {
        await wait(20);
        onResponse?.();
        for (let gap = 0; gap < 2; gap++) {
          await wait(15);
          onResponse?.();
        }
        await wait(10);
        return undefined;
      },
      close: () => undefined,
    }),
  };
  const times = { warmMs: 1020, measureMs: 6000, drainMs: 5000, seed: 1 };
  const { signal } = new AbortController();
  const { stream, latencies } = await clock.run(runLoad({ load, target, clock, ...times, signal }));
  expect(stream?.firsts[0]).toBe(first);
  expect(new Set(stream?.gaps.map(Math.round))).toEqual(new Set([15]));
  expect(stream?.gaps.length).toBe(2 * latencies.length);
  expect(latencies[0]).toBe(60);
  if (load.kind === "closed") expect(stream?.perSecond).toBe(50);
});

test("a load without streams has no stream times", async () => {
  const { recording } = await simulate({ kind: "closed", clients: 1 }, { serviceMs: () => 20 });
  expect(recording.stream).toBeUndefined();
});

test("many loads with one signal leave no listeners, even if the timers are late", async () => {
  const { signal } = new AbortController();
  const late: Clock = { ...machineClock, until: (at, ended) => machineClock.until(at + 1000, ended) };
  const load: Load = { kind: "closed", clients: 4 };
  const target = { requests: 1, open: () => ({ send: () => turn(undefined), close: () => undefined }) };
  const times = { warmMs: 5, measureMs: 5, drainMs: 5 };
  for (let i = 0; i < 2; i++) await runLoad({ load, target, clock: late, ...times, seed: 1, signal });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("closed loop: the warm-up is not recorded", async () => {
  const { recording } = await simulate(
    { kind: "closed", clients: 1 },
    { serviceMs: (now) => (now < 1000 ? 500 : 10) },
  );
  expect(recording.latencies.at(-1)).toBe(10);
});

test("open loop: requests are sent at the requested rate, regardless of the server", async () => {
  const { recording } = await simulate(open(50), { serviceMs: () => 20 });
  expect(recording.latencies.length).toBeGreaterThan(420);
  expect(recording.latencies.length).toBeLessThan(580);
  const slow = await simulate(open(50), { serviceMs: () => 2000 });
  expect(slow.recording.latencies.length).toBe(recording.latencies.length);
  expect(slow.recording.mostInFlight).toBeGreaterThan(80);
});

test("open loop: with the same seed, requests are sent at the same times and in the same order", async () => {
  const [one, two] = [
    await simulate(open(30), { serviceMs: () => 1 }),
    await simulate(open(30), { serviceMs: () => 1 }),
  ];
  expect(one.target.sent).toEqual(two.target.sent);
  const other = await simulate({ kind: "open", rate: 30, seed: 8, connections: 9 }, { serviceMs: () => 1 });
  expect(other.target.sent.length).not.toBe(one.target.sent.length);
});

test("a stall affects the latency of all requests due during it, whereas a closed loop hides it", async () => {
  const stall = { lanes: 1, serviceMs: (now: number) => (now >= 4000 && now < 4010 ? 2000 : 5) };
  const closed = (await simulate({ kind: "closed", clients: 1 }, stall)).recording;
  const opened = (await simulate(open(100), stall)).recording;
  expect(percentile(closed.latencies, 0.99)).toBe(5);
  expect(percentile(opened.latencies, 0.99)).toBeGreaterThan(1500);
  expect(percentile(opened.latencies, 0.9)).toBeGreaterThan(500);
});

test("latency counts from the time a request was due, even if it waits for a connection", async () => {
  const { recording, target } = await simulate(open(100, 1), { serviceMs: () => 20 }, { drainMs: 1e6 });
  expect(target.opened()).toBe(1);
  expect(percentile(recording.latencies, 0.5)).toBeGreaterThan(3000);
  expect(percentile(recording.lateness, 0.5)).toBeGreaterThan(3000);
  expect(recording.perSecond).toBe(50);
  expect(recording.unfinished).toBe(0);
});

test("requests that are unanswered at the end of the load are counted, including queued ones", async () => {
  const { recording } = await simulate(open(100, 1), { serviceMs: () => 60_000 });
  expect(recording.latencies.length).toBe(0);
  expect(recording.unfinished).toBeGreaterThan(850);
  expect(recording.failures).toEqual([]);
});

test("a dead server is sent few requests, and the failures are counted", async () => {
  const { recording } = await simulate(
    { kind: "closed", clients: 2 },
    { serviceMs: () => 10, fails: (now) => (now >= 6000 ? refused : undefined) },
  );
  expect(recording.latencies.length).toBe(1000);
  expect(recording.failures).toEqual([
    { status: "ECONNREFUSED", count: expect.any(Number), message: "no server listens" },
  ]);
  expect(recording.failures[0]?.count).toBeLessThan(25);
  expect(Math.floor(recording.perSecond)).toBe(100);
  expect(recording.timeline[6]).toEqual({ answered: 0, failed: expect.any(Number) });
});

test("if the load is stopped, the measurements so far are kept", async () => {
  const stop = new AbortController();
  const clock = simulatedClock();
  const target = simulatedServer(clock, { serviceMs: () => 10 });
  void clock.until(3000, stop.signal).then(() => stop.abort());
  const load: Load = { kind: "closed", clients: 1 };
  const recording = await clock.run(
    runLoad({
      load,
      target,
      clock,
      warmMs: 1000,
      measureMs: 10_000,
      drainMs: 500,
      seed: 1,
      signal: stop.signal,
    }),
  );
  expect(recording.seconds).toBe(2);
  expect(Math.floor(recording.perSecond)).toBe(100);
  expect(clock.now()).toBeLessThan(3100);
});

test("answers that arrive after a load was stopped are not in its rate", async () => {
  const stop = new AbortController();
  const clock = simulatedClock();
  const target = simulatedServer(clock, { serviceMs: () => 2000 });
  void clock.until(3500, stop.signal).then(() => stop.abort());
  const { seconds, perSecond, timeline, latencies, unfinished } = await clock.run(
    runLoad({
      load: { kind: "closed", clients: 8 },
      target,
      clock,
      warmMs: 1000,
      measureMs: 10_000,
      drainMs: 5000,
      seed: 1,
      signal: stop.signal,
    }),
  );
  expect([seconds, perSecond]).toEqual([2.5, 8 / 2.5]);
  expect(timeline.map(({ answered }) => answered)).toEqual([0, 8]);
  // The requests that were sent within the window have latencies, although they were answered after it.
  expect([latencies.length, unfinished]).toEqual([8, 0]);
});

test.each([
  ["while it is sent", 3000],
  ["while the last answers are awaited", 12_000],
])("a load that is stopped %s waits no longer than allowed for its last answers", async (_, at) => {
  const stop = new AbortController();
  const clock = simulatedClock();
  const target = simulatedServer(clock, { serviceMs: () => 30_000 });
  void clock.until(at, stop.signal).then(() => stop.abort());
  await clock.run(
    runLoad({
      load: { kind: "closed", clients: 1 },
      target,
      clock,
      warmMs: 1000,
      measureMs: 10_000,
      drainMs: 60_000,
      stopMs: 200,
      seed: 1,
      signal: stop.signal,
    }),
  );
  expect(clock.now()).toBeLessThan(at + 300);
});

test("a load that is stopped during the warm-up has no measurements", async () => {
  const { recording } = await simulate(
    { kind: "closed", clients: 1 },
    { serviceMs: () => 10 },
    { signal: AbortSignal.abort() },
  );
  expect(recording).toMatchObject({ seconds: 0, perSecond: 0, unfinished: 0, failures: [] });
});

test("all requests are sent equally often, in mixed order", async () => {
  const { target } = await simulate({ kind: "closed", clients: 1 }, { serviceMs: () => 10 });
  const counts = [0, 1, 2].map((request) => target.sent.filter((sent) => sent === request).length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  expect(target.sent.slice(0, 12)).not.toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
});
