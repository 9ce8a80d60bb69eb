import { expect, test } from "vitest";
import type { Point } from "./knob.ts";
import { knobsOf } from "./model-knobs.ts";
import { runTune } from "./run-tune.ts";
import { badStart, surfaceOf } from "./surface.fixture.ts";
import { tuneReport } from "./tune-report.ts";
import { emptyState } from "./tune-state.ts";

const target = { kind: "throughput" } as const;
const knobs = knobsOf(badStart, { target, cores: 2, code: true });

/** The page of a search on a surface without noise. */
const pageOf = async (rateAt: (point: Point) => number) => {
  const result = await runTune({
    knobs,
    target,
    load: { kind: "closed", clients: 16 },
    sideLoad: { kind: "closed", clients: 1 },
    lab: {
      open: async (point) => ({
        close: async () => undefined,
        measure: async () => ({
          perSecond: rateAt(point),
          latencies: [12.3456],
          steps: surfaceOf.steps(knobs, point),
        }),
      }),
    },
    state: emptyState("k"),
    mostRuns: 24,
    pairs: [3, 8],
    signal: new AbortController().signal,
    onExperiment: () => {},
    onTrial: () => {},
  });
  if (result === undefined) throw new Error("it was interrupted");
  const facts = {
    ensemble: "embed",
    target,
    load: "16 clients",
    sideLoad: "1 client",
    where: "here",
    version: "1",
  };
  return tuneReport(result, knobs, facts);
};

test("the page names settings as the terminal does, and marks the current settings and the winner", async () => {
  const { sections, verdict } = await pageOf((point) => surfaceOf.encoder(knobs, point));
  expect(verdict?.tone).toBe("good");
  const text = JSON.stringify(sections);
  expect(text).toContain(
    '"tokenize.padding: padding to multiples of 8; encoder.delay: batching without delay"',
  );
  expect(text).toContain('["tokenize.padding","unchanged padding, {\\"buckets\\":[64,256]}",');
  expect(text).toContain('"12.3 ms"');
  const kinds = [...text.matchAll(/"candidate":"([^"]+)"/g)].map(([, kind]) => kind);
  expect(kinds[0]).toBe("current settings");
  expect(kinds.filter((kind) => kind === "winner")).toHaveLength(1);
});

test("without a winner there is no empty table", async () => {
  const { sections } = await pageOf((point) => (point["tokenize.padding"] === 0 ? 90 : 100));
  const [result] = sections;
  expect(result?.blocks.map((block) => (typeof block === "string" ? "text" : block.kind))).toEqual([
    "facts",
    "text",
  ]);
});
