import { expect, test } from "vitest";
import { type KnobOptions, knobsOf, type TunedEnsemble } from "./model-knobs.ts";
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

/** The ensemble with an encoder on the second GPU, and its math on the given device. */
const onGpu = (math: "cpu" | "gpu"): TunedEnsemble => ({
  ...badStart,
  steps: badStart.steps.map((step) =>
    step.name === "encoder"
      ? { ...step, device: "gpu", hasThreads: false, instanceGroup: { gpus: [1], profile: ["0"] } }
      : step,
  ),
  math: [{ name: "embed_embedding", device: math }],
});

test("instances on GPUs keep their GPUs and profiles, and the math stays on the GPU", () => {
  const ensemble = onGpu("gpu");
  const knobs = knobsOf(ensemble, options);
  const { profiles, members } = tunedOptions(ensemble, knobs, {
    "encoder.instances": 1,
    "embed.members.instances": 1,
  });
  expect(profiles.get("encoder")).toEqual({
    instanceGroup: [{ gpus: [1], profile: ["0"], kind: "gpu", count: 2 }],
  });
  expect(members).toEqual({ instanceGroup: [{ kind: "gpu", count: 2 }] });
});

test("math on the CPU next to steps on a GPU gets no instances, because the setting would move the steps", () => {
  const ids = knobsOf(onGpu("cpu"), options).map(({ id }) => id);
  expect(ids).not.toContain("embed.members.instances");
  expect(ids).toContain("encoder.instances");
});

test("a response cache is set in the ensemble's profile", () => {
  const knobs = knobsOf(badStart, { ...options, repeats: { repeated: 1, all: 2 } });
  const { profiles, own } = tunedOptions(badStart, knobs, { "embed.responseCache": 1 });
  expect([...profiles]).toEqual([["embed", { responseCache: { enable: true } }]]);
  expect([...own]).toEqual([]);
});

test("several groups of instances stay as they are", () => {
  const steps = badStart.steps.map((step) => ({ ...step, instances: undefined }));
  const ids = knobsOf({ ...badStart, steps }, options).map(({ id }) => id);
  expect(ids.filter((id) => id.endsWith(".instances"))).toEqual(["embed.members.instances"]);
});

test("a model that runs on any device is not pinned to one", () => {
  const steps = badStart.steps.map((step) => ({ ...step, device: "auto" as const }));
  const ensemble = { ...badStart, steps };
  const knobs = knobsOf(ensemble, options);
  expect(tunedOptions(ensemble, knobs, { "tokenize.instances": 1 }).profiles.get("tokenize")).toEqual({
    instanceGroup: [{ count: 2 }],
  });
});
