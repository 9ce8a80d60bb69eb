import { expect, test } from "vitest";
import { changesOf, type Knob, type Point, pointKey } from "./knob.ts";
import { knobsOf } from "./model-knobs.ts";
import { search } from "./search.ts";
import { badStart, gridOf, surfaceOf } from "./surface.fixture.ts";
import { surfaces } from "./surfaces.fixture.ts";

const target = { kind: "throughput" } as const;

/**
 * Searches a surface without noise; returns the result as a fraction of the best possible one, and the number of runs.
 */
const searched = (knobs: readonly Knob[], rateAt: (point: Point) => number, most = 40) => {
  const steps = search(knobs, most);
  const asked: string[] = [];
  const keys: string[] = [];
  let next = steps.next();
  while (next.done !== true) {
    const { point, against, why } = next.value;
    keys.push(pointKey(knobs, point));
    asked.push(`${changesOf(knobs, point, against).join(" + ")} | ${why}`);
    const ratio = rateAt(point) / rateAt(against);
    next = steps.next({ better: ratio > 1.02, ratio, steps: surfaceOf.steps(knobs, point) });
  }
  const grid = gridOf(knobs);
  const best = Math.max(...grid.map(rateAt));
  return {
    best: next.value,
    share: rateAt(next.value) / best,
    runs: keys.length,
    grid: grid.length,
    asked,
    keys,
  };
};

test.each([
  ["an encoder that wants small padding and no delay", surfaceOf.encoder],
  ["a model that wants two instances of one thread", surfaceOf.instances],
  ["a slow Python step that needs more instances", surfaceOf.python],
] as const)("%s: reaches 0.95 of the best with a tenth of the runs of a full grid", (_, surface) => {
  const knobs = knobsOf(badStart, { target, cores: 2, code: true });
  const found = searched(knobs, (point) => surface(knobs, point));
  expect(found.share).toBeGreaterThanOrEqual(0.95);
  expect(found.runs).toBeLessThanOrEqual(found.grid / 10);
});

test("the search begins with the usual settings and continues where the time is spent; no settings are measured twice", () => {
  const knobs = knobsOf(badStart, { target, cores: 2, code: true });
  const { asked, keys } = searched(knobs, (point) => surfaceOf.encoder(knobs, point));
  expect(asked.slice(0, 4)).toEqual([
    " | the current settings",
    "encoder.delay: batching without delay | the usual settings",
    "tokenize.padding: padding to multiples of 32 | the usual settings",
    "encoder.instances: 2 instances × 1 thread | 89 % of the models' time is in `encoder`, 44 % of that in its queue",
  ]);
  expect(new Set(keys).size).toBe(keys.length);
});

test("a setting is tried again, with the value that came closest, after a change of one that it depends on", () => {
  const knobs = knobsOf(badStart, { target, cores: 2, code: true });
  const long = (point: Point): boolean => point["encoder.delay"] === undefined;
  const layouts = [1, 0.9, 0.95];
  // The usual batching does not help, and a short delay does; with it, 2 instances of 2 threads do.
  const { asked } = searched(knobs, (point) => {
    const layout = point["encoder.instances"] ?? 0;
    const delay = [1, 1, 1.3, 1][point["encoder.delay"] ?? 3] ?? 1;
    return delay * (layout === 2 && !long(point) ? 1.2 : (layouts[layout] ?? 1));
  });
  const tries = asked.map((one) => one.split(" | ")[0]);
  const again = tries.lastIndexOf("encoder.instances: 2 instances × 2 threads");
  expect(tries.indexOf("encoder.instances: 2 instances × 2 threads")).toBeLessThan(again);
  expect(again).toBeGreaterThan(tries.indexOf("encoder.delay: 0.5 ms delay"));
  expect(tries.filter((one) => one === "encoder.instances: 2 instances × 1 thread")).toHaveLength(1);
});

test("settings that look slightly better on their own are finally tried together", () => {
  const knobs = knobsOf(badStart, { target, cores: 2, code: true });
  const { asked } = searched(
    knobs,
    ({ "encoder.instances": layout, "encoder.delay": delay }) =>
      (layout === 1 ? 1.015 : 1) * (delay === 2 ? 1.015 : 1),
  );
  expect(asked).toContain(
    "encoder.instances: 2 instances × 1 thread + encoder.delay: 0.5 ms delay | small gains, which noise may have hidden, may add up",
  );
});

test("a neighbour that is not worse is passed, also on the way back to the setting of the start", () => {
  const knobs = knobsOf(badStart, { target, cores: 2, code: true });
  const { best, asked } = searched(knobs, (point) => {
    const isSplit = point["encoder.instances"] === 1;
    const delay = [0.5, 1.1, 1.1, isSplit ? 1.4 : 1][point["encoder.delay"] ?? 3] ?? 1;
    return delay * (isSplit ? 1.3 : 1);
  });
  expect(choiceAtDelay(best)).toBe(choiceAtDelay({}));
  const tries = asked.map((one) => one.split(" | ")[0]);
  expect(tries.indexOf("encoder.delay: 2 ms delay")).toBe(tries.indexOf("encoder.delay: 0.5 ms delay") + 1);
});

test("a response cache is tried first, and only if requests repeat", () => {
  const options = { target, cores: 2, code: false };
  expect(knobsOf(badStart, options).some(({ kind }) => kind === "cache")).toBe(false);
  const knobs = knobsOf(badStart, { ...options, repeats: { repeated: 40, all: 100 } });
  const { asked, best } = searched(knobs, (point) =>
    point["embed.responseCache"] === 1 ? 160 : surfaceOf.encoder(knobs, point),
  );
  expect(asked[1]).toBe(
    "embed.responseCache: repeated requests answered from a cache | 40 of 100 requests repeat an earlier one",
  );
  expect(best["embed.responseCache"]).toBe(1);
});

test("settings that failed are not tried again", () => {
  const knobs = knobsOf(badStart, { target, cores: 2, code: true });
  const steps = search(knobs, 40);
  const failed: string[] = [];
  let next = steps.next();
  while (next.done !== true) {
    const { point, against } = next.value;
    const changes = changesOf(knobs, point, against);
    const fails = changes.some((change) => change.includes("2 instances"));
    if (fails) failed.push(changes.join(" + "));
    const ratio = fails ? undefined : choiceAtDelay(point) / choiceAtDelay(against);
    next = steps.next({ better: (ratio ?? 0) > 1.02, ratio, steps: surfaceOf.steps(knobs, point) });
  }
  expect(new Set(failed).size).toBe(failed.length);
  expect(failed.length).toBeGreaterThan(0);
});

/** Each change of the delay helps. */
const choiceAtDelay = (point: Point): number => 4 - (point["encoder.delay"] ?? 3);

test.each([...surfaces])(
  "%s: without noise, a tenth of the candidates finds 0.95 of the best",
  (_, surface) => {
    const steps = search(surface.knobs, surface.runs);
    let runs = 0;
    let next = steps.next();
    for (; next.done !== true; runs++) {
      const ratio = surface.rateAt(next.value.point) / surface.rateAt(next.value.against);
      next = steps.next({ better: ratio > 1.02, ratio, steps: surface.steps });
    }
    expect(surface.rateAt(next.value) / surface.best).toBeGreaterThanOrEqual(0.95);
    expect(runs).toBeLessThanOrEqual(surface.runs);
  },
);

test.each([
  [2, ["1 instance × 2 threads", "2 instances × 1 thread", "2 instances × 2 threads"]],
  [
    8,
    [
      "2 instances × 8 threads",
      "1 instance × 8 threads",
      "2 instances × 4 threads",
      "4 instances × 2 threads",
      "8 instances × 1 thread",
    ],
  ],
])("on %i processors, more threads than processors are not tried between other layouts", (cores, wanted) => {
  const knob = knobsOf(badStart, { target, cores, code: true }).find(({ id }) => id === "encoder.instances");
  expect(knob?.choices.map(({ label }) => label)).toEqual(wanted);
});

test("if nothing improves the result, the search stops after trying each knob once, with the settings unchanged", () => {
  const knobs = knobsOf(badStart, { target, cores: 2, code: true });
  const { best, runs } = searched(knobs, () => 1);
  expect([changesOf(knobs, best), runs <= 16]).toEqual([[], true]);
});

test("the search stops at the maximum number of runs", () => {
  const knobs = knobsOf(badStart, { target, cores: 2, code: true });
  expect(searched(knobs, (point) => surfaceOf.encoder(knobs, point), 4).runs).toBe(4);
});

test("with a latency limit, the number of clients is searched for first, and again at the end", () => {
  const within = { kind: "within", percentile: 0.99, limitMs: 50 } as const;
  const knobs = knobsOf(badStart, { target: within, cores: 2, code: false });
  const clientShare = [1, 2, 4, 5, 6, 2, 1, 1];
  const { asked } = searched(
    knobs,
    (point) => surfaceOf.encoder(knobs, point) * (clientShare[point["clients"] ?? 3] ?? 0),
  );
  expect(asked[1]).toMatch(/^clients: 4 clients \| a different number/);
  expect(asked.slice(1).findLastIndex((one) => one.startsWith("clients"))).toBeGreaterThan(4);
});
