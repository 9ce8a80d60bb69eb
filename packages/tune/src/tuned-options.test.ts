import { expect, test } from "vitest";
import { type KnobOptions, knobsOf } from "./model-knobs.ts";
import { badStart } from "./surface.fixture.ts";
import { tunedOptions } from "./tuned-options.ts";

const options: KnobOptions = { target: { kind: "throughput" }, cores: 2, code: true };

test("a step whose model contains math or other steps can get a separate model", () => {
  const steps = badStart.steps.map((step) => ({ ...step, isFused: step.name === "encoder" }));
  const ensemble = { ...badStart, steps };
  const knobs = knobsOf(ensemble, options);
  const { own, profiles } = tunedOptions(ensemble, knobs, { "encoder.fuse": 1, "tokenize.padding": 0 });
  expect([...own]).toEqual([
    ["tokenize", { padding: "longest" }],
    ["encoder", { fuse: false }],
  ]);
  expect([...profiles]).toEqual([]);
  expect(knobs.filter(({ id }) => id.endsWith(".fuse")).map(({ id }) => id)).toEqual(["encoder.fuse"]);
  expect(knobsOf(ensemble, { ...options, code: false }).some(({ id }) => id === "encoder.fuse")).toBe(false);
});
