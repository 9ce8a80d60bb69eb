import { expect, test } from "vitest";
import { changesOf, type Knob, type Point } from "./knob.ts";
import type { Slice, TuneLoad } from "./measurement.ts";
import { knobsOf } from "./model-knobs.ts";
import {
  BaselineFailed,
  CandidateRefused,
  type Lab,
  metLimit,
  noiseOf,
  runTune,
  type TuneOptions,
} from "./run-tune.ts";
import { badStart, surfaceOf } from "./surface.fixture.ts";
import { parseTarget } from "./target.ts";
import { emptyState, parseState, type TuneState } from "./tune-state.ts";

/** Pseudorandom numbers from 0 to 1, always the same. */
const randomOf = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

const knobs = knobsOf(badStart, { target: { kind: "throughput" }, cores: 2, code: true });

interface Simulated {
  readonly lab: Lab;
  readonly opened: string[];
  readonly open: () => number;
}

/** A machine whose speed drifts by a third or `drift`, with noise in each slice. */
const simulated = (
  rateAt: (knobs: readonly Knob[], point: Point) => number,
  noise: number,
  refuse: (point: Point) => string | undefined = () => undefined,
  drift = 1 / 3,
): Simulated => {
  const random = randomOf(7);
  const opened: string[] = [];
  let slices = 0;
  let open = 0;
  return {
    opened,
    open: () => open,
    lab: {
      open: async (point) => {
        const why = refuse(point);
        if (why !== undefined) throw new CandidateRefused(why);
        opened.push(changesOf(knobs, point).join(" + "));
        open++;
        return {
          close: async () => void open--,
          measure: async (load: TuneLoad): Promise<Slice> => {
            const speed = 1 + Math.sin(slices++ / 9) * drift;
            const perSecond = rateAt(knobs, point) * speed * (1 + (random() - 0.5) * 2 * noise);
            const clients = load.kind === "closed" ? load.clients : 1;
            return {
              perSecond,
              latencies: [(1000 * clients) / perSecond],
              steps: surfaceOf.steps(knobs, point),
            };
          },
        };
      },
    },
  };
};

const tune = (lab: Lab, options: Partial<TuneOptions> = {}) =>
  runTune({
    knobs,
    target: { kind: "throughput" },
    load: { kind: "closed", clients: 16 },
    sideLoad: { kind: "closed", clients: 1 },
    lab,
    state: emptyState("k"),
    mostRuns: 24,
    pairs: [3, 8],
    signal: new AbortController().signal,
    onExperiment: () => {},
    onTrial: () => {},
    ...options,
  });

test.each([0, 0.02, 0.05])(
  "with %s noise and a drifting machine, the winner reaches at least 0.95 of the best",
  async (noise) => {
    const { lab, open } = simulated(surfaceOf.encoder, noise);
    const result = await tune(lab);
    expect(surfaceOf.encoder(knobs, result?.best ?? {}) / 248).toBeGreaterThanOrEqual(0.95);
    expect(result?.confirmed?.low).toBeGreaterThan(1.5);
    expect(result?.confirmed?.high).toBeLessThan(3.5);
    expect(open()).toBe(0);
  },
);

test("a candidate is compared with a server that was started just as recently, because servers become faster for a while", async () => {
  const steady = simulated(surfaceOf.encoder, 0);
  const lab: Lab = {
    open: async (point) => {
      const stand = await steady.lab.open(point);
      let age = 0;
      return {
        ...stand,
        measure: async (...given) => {
          const slice = await stand.measure(...given);
          return { ...slice, perSecond: slice.perSecond * Math.min(1, 0.2 + 0.02 * age++) };
        },
      };
    },
  };
  const result = await tune(lab);
  expect(surfaceOf.encoder(knobs, result?.best ?? {}) / 248).toBeGreaterThanOrEqual(0.95);
});

test("three pairs that agree by chance do not end a comparison, if pairs of the same settings differ by more", async () => {
  /** The start differs from itself by a tenth; each candidate is 1.06 times as fast three times, and then slower. */
  const noise = [1.1, 0.91, 1.02, 0.97, 1.05, 0.93, 1.08, 0.95];
  const luck = [1.06, 1.06, 1.06, 0.9, 0.9, 0.9, 0.9, 0.9];
  let opened = 0;
  const lab: Lab = {
    open: async (point) => {
      const isOther = opened++ % 2 === 0;
      const ratios = changesOf(knobs, point).length === 0 ? noise : luck;
      let count = 0;
      return {
        close: async () => undefined,
        measure: async () => ({
          perSecond: isOther ? 1 : (ratios[count++ % 8] ?? 1),
          latencies: [1],
          steps: [],
        }),
      };
    },
  };
  const result = await tune(lab, { mostRuns: 2 });
  expect(result?.state.trials.map(({ comparison }) => comparison?.pairs)).toEqual([8, 8]);
  expect(result?.best).toEqual({});
});

test("the winner is compared in as many pairs as showed the noise at the start, with servers restarted in the middle", async () => {
  const steady = simulated(surfaceOf.encoder, 0, undefined, 0);
  const result = await tune(steady.lab);
  expect([result?.state.trials[0]?.comparison?.pairs, result?.confirmed?.pairs]).toEqual([3, 3]);
  const winner = changesOf(knobs, result?.best ?? {}).join(" + ");
  expect(steady.opened.slice(-4)).toEqual(["", winner, "", winner]);
  const noisy = await tune(simulated(surfaceOf.encoder, 0.05).lab);
  expect([noisy?.state.trials[0]?.comparison?.pairs, noisy?.confirmed?.pairs]).toEqual([8, 8]);
});

test("a gain that noise could explain is not reported", async () => {
  const { lab } = simulated(() => 100, 0.3);
  const result = await tune(lab);
  expect(result?.confirmed === undefined || result.confirmed.low <= 1).toBe(true);
  expect(noiseOf(result?.state ?? emptyState(""))).toBeGreaterThan(0.1);
});

test("settings that do not work are recorded as failed and skipped; the current settings must work", async () => {
  const refused = simulated(surfaceOf.encoder, 0, (point) =>
    point["encoder.instances"] === 1 ? "no memory" : undefined,
  );
  const result = await tune(refused.lab);
  expect(
    result?.state.trials.filter(({ verdict }) => verdict === "failed").map(({ problem }) => problem),
  ).toContain("no memory");
  await expect(tune(simulated(surfaceOf.encoder, 0, () => "no model").lab)).rejects.toThrow(BaselineFailed);
});

test("if the settings that a candidate is compared with cannot be served any more, the run ends, and no candidate is blamed", async () => {
  const { lab } = simulated(surfaceOf.encoder, 0);
  let isFull = false;
  const full: Lab = {
    open: (point) => (isFull ? Promise.reject(new CandidateRefused("no memory")) : lab.open(point)),
  };
  const verdicts: string[] = [];
  const onTrial: TuneOptions["onTrial"] = ({ verdict }) => {
    verdicts.push(verdict);
    isFull = true;
  };
  await expect(tune(full, { onTrial })).rejects.toThrow(BaselineFailed);
  expect(verdicts).toEqual(["start"]);
});

/** Both servers of a comparison share a process, which measuring ends if `ends`. */
const inOneProcess = (ends: (changes: readonly string[]) => boolean): Lab => {
  const { lab } = simulated(surfaceOf.encoder, 0);
  /** Increased when the process of all servers ends. */
  let processes = 0;
  return {
    open: async (point) => {
      const own = processes;
      const stand = await lab.open(point);
      return {
        ...stand,
        measure: async (...given) => {
          if (ends(changesOf(knobs, point))) processes++;
          const slice = await stand.measure(...given);
          return own === processes ? slice : { ...slice, failed: { count: 3, message: "no server" } };
        },
      };
    },
  };
};

test("a candidate that ends the process of both servers is recorded as failed if the other settings then work again", async () => {
  const result = await tune(inOneProcess((changes) => changes.includes("encoder.delay: no batching")));
  const failed = result?.state.trials.filter(({ verdict }) => verdict === "failed") ?? [];
  expect(failed.map(({ problem }) => problem)).toContain("3 requests failed: no server");
  for (const { point } of failed) expect(point).toContain("encoder.delay: no batching");
});

test.each([
  ["p50", 5],
  ["p90", 10],
  ["p95", 20],
  ["p99", 100],
])(
  "a limit for %s needs %s answers in each measurement; the result says whether it is met",
  async (name, answers) => {
    const target = parseTarget(`${name}<20ms`);
    if (target === undefined) throw new Error(name);
    const within = knobsOf(badStart, { target, cores: 2, code: true });
    const asked = new Set<number>();
    const clientsOf = (load: TuneLoad): number => (load.kind === "closed" ? load.clients : 1);
    /** A server that needs these milliseconds for each client. */
    const lab = (each: number): Lab => ({
      open: async () => ({
        close: async () => undefined,
        measure: async (load, least) => {
          if (clientsOf(load) > 1) asked.add(least);
          return { perSecond: 500, latencies: [each * clientsOf(load)], steps: [] };
        },
      }),
    });
    const fast = await tune(lab(2), { target, knobs: within, mostRuns: 6 });
    expect([...asked]).toEqual([answers]);
    expect(fast && metLimit(fast, within, target)).toEqual({
      isMet: true,
      ms: 16,
      limitMs: 20,
      clients: "8 clients",
      wasMet: true,
    });
    const slow = await tune(lab(30), { target, knobs: within, mostRuns: 6 });
    expect(slow && metLimit(slow, within, target)).toEqual({
      isMet: false,
      ms: 30,
      limitMs: 20,
      clients: "1 client",
      wasMet: false,
    });
    const lower = parseTarget(`${name}<10ms`);
    expect(fast && lower && metLimit(fast, within, lower)).toMatchObject({ isMet: false, wasMet: true });
  },
);

test("one failed request is counted in the singular", async () => {
  const { lab } = simulated(surfaceOf.encoder, 0);
  const failing: Lab = {
    open: async (point) => {
      const stand = await lab.open(point);
      return {
        ...stand,
        measure: async (...given) => ({
          ...(await stand.measure(...given)),
          failed: { count: 1, message: "no memory" },
        }),
      };
    },
  };
  await expect(tune(failing)).rejects.toThrow(/^(?!.*1 requests).*1 request failed: no memory/);
});

test("a winner that fails when it is confirmed, or ends the process, is not confirmed, and the run ends normally", async () => {
  const whole = await tune(simulated(surfaceOf.encoder, 0).lab);
  const { state = emptyState(""), best = {} } = whole ?? {};
  const failing = simulated(surfaceOf.encoder, 0, (point) =>
    changesOf(knobs, point).join() === changesOf(knobs, best).join() ? "no memory" : undefined,
  );
  const ending = inOneProcess((changes) => changes.length > 0);
  for (const lab of [failing.lab, ending]) {
    const result = await tune(lab, { state: { ...state, confirmed: undefined } });
    expect(result).toMatchObject({ best, confirmed: undefined });
  }
});

test("an interrupted run leaves no servers running and is resumed without measuring anything twice", async () => {
  // Without drift, both runs measure the same.
  const steady = (): Simulated => simulated(surfaceOf.encoder, 0, undefined, 0);
  const whole = steady();
  const expected = await tune(whole.lab);

  const stop = new AbortController();
  let kept: TuneState | undefined;
  const first = steady();
  const onTrial: TuneOptions["onTrial"] = (_, state) => {
    kept = parseState(JSON.stringify(state), "k");
    if (state.trials.length === 4) stop.abort();
  };
  expect(await tune(first.lab, { signal: stop.signal, onTrial })).toBeUndefined();
  expect([kept?.trials.length, first.open()]).toEqual([4, 0]);

  const second = steady();
  const result = await tune(second.lab, { state: kept ?? emptyState("") });
  expect(result?.state.trials.map(({ point }) => point)).toEqual(
    expected?.state.trials.map(({ point }) => point),
  );
  expect(result?.best).toEqual(expected?.best);
  expect(second.opened.length).toBeLessThan(whole.opened.length);
  expect(parseState("{", "k")).toEqual(emptyState("k"));
  expect(parseState(JSON.stringify(kept), "other")).toEqual(emptyState("other"));
});

test.each([
  ["throughput", { kind: "throughput" }],
  ["latency", { kind: "latency" }],
  ["p99<50ms", { kind: "within", percentile: 0.99, limitMs: 50 }],
  ["p90 < 1.5s", { kind: "within", percentile: 0.9, limitMs: 1500 }],
  ["p99", undefined],
  ["p99<0ms", undefined],
  ["p42<1ms", undefined],
])("target %s", (text, expected) => {
  expect(parseTarget(text)).toEqual(expected);
});
