import { percentile, random } from "@tritype/core";
import { expect, test } from "vitest";
import { type Lab, runTune, sureGain } from "./run-tune.ts";
import { type Surface, surfaces } from "./surfaces.fixture.ts";
import { emptyState } from "./tune-state.ts";

/** Slices of one server differ by this share (standard deviation), two servers with the same settings by a quarter of it. */
const noise = 0.04;

/** A machine whose speed drifts by a third, with noise in each slice and each server. */
const noisyLab = ({ rateAt, steps }: Surface, seed: number): Lab => {
  const next = random(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  let slices = 0;
  return {
    open: async (point) => {
      const server = rateAt(point) * Math.exp((normal() * noise) / 4);
      return {
        close: async () => undefined,
        measure: async () => {
          const perSecond = server * (1 + Math.sin(slices++ / 9) / 3) * Math.exp(normal() * noise);
          return { perSecond, latencies: [16_000 / perSecond], steps };
        },
      };
    },
  };
};

const searched = async (surface: Surface, seed: number) => {
  const result = await runTune({
    knobs: surface.knobs,
    target: { kind: "throughput" },
    load: { kind: "closed", clients: 16 },
    sideLoad: { kind: "closed", clients: 1 },
    lab: noisyLab(surface, seed),
    state: emptyState("k"),
    mostRuns: surface.runs,
    pairs: [6, 16],
    signal: new AbortController().signal,
    onExperiment: () => {},
    onTrial: () => {},
  });
  if (result === undefined) throw new Error("it was interrupted");
  return {
    share: surface.rateAt(result.best) / surface.best,
    candidates: result.state.trials.length,
    gain: sureGain(result),
  };
};

/** Searches with different noise. */
const searches = (surface: Surface) =>
  Promise.all(Array.from({ length: 100 }, (_, seed) => searched(surface, seed)));

test.each([...surfaces])(
  "%s: with noise, most searches find 0.95 of the best with a tenth of the candidates",
  async (_, surface) => {
    const found = await searches(surface);
    const shares = found.map(({ share }) => share).toSorted((a, b) => a - b);
    expect(percentile(shares, 0.5)).toBeGreaterThanOrEqual(0.95);
    expect(percentile(shares, 0.1)).toBeGreaterThanOrEqual(0.9);
    expect(Math.max(...found.map(({ candidates }) => candidates))).toBeLessThanOrEqual(surface.runs);
  },
);

test("if there is nothing to gain, noise rarely looks like a gain", async () => {
  const [[, surface] = []] = surfaces;
  if (surface === undefined) throw new Error("there is no surface");
  const found = await searches({ ...surface, rateAt: () => 100, best: 100 });
  expect(found.filter(({ gain }) => gain !== undefined).length).toBeLessThanOrEqual(6);
});
