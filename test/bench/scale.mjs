import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNode, timeNode } from "./child.mjs";
import { inTurn, rowsOf, summarize } from "./measure.mjs";
import { pipelineBin } from "./projects.mjs";
import { makeScaleProject, shapes } from "./scale-projects.mjs";

const child = fileURLToPath(new URL("build-child.mjs", import.meta.url));
const sizes = [50, 100, 500];
/** The parts whose time grows with the pipeline; the rest of a build takes constant time. */
const growing = ["load", "compile", "write"];
const limit = 3000;

/** Builds of generated pipelines, each in a separate process, into an empty folder. */
export async function* scale(runs = 5) {
  const projects = [];
  const make = (shape, steps) => {
    const project = makeScaleProject(shape, steps);
    projects.push(project);
    return project;
  };
  try {
    for (const shape of Object.keys(shapes)) yield measureShape(shape, runs, make);
    for (const shape of Object.keys(shapes)) yield await wholeProcesses(shape, runs, make);
  } finally {
    for (const project of projects) project.remove();
  }
}

let aside = 0;
/**
 * Renames the last build instead of deleting it. It takes minutes until ext4 reuses the inodes of deleted
 * files, and searching past thousands of them would take longer than a build.
 */
const putAside = (build) => {
  if (existsSync(build)) renameSync(build, `${build}-${aside++}`);
};

/** `check` and `build` of the largest pipeline, each in a process of its own. */
const wholeProcesses = async (shape, runs, make) => {
  const project = make(shape, sizes.at(-1));
  const processorTimes = new Map();
  const command = (name, ...args) => {
    const { clock, processor } = timeNode([pipelineBin, ...args], { cwd: project.root });
    processorTimes.set(name, [...(processorTimes.get(name) ?? []), processor]);
    return clock;
  };
  const summaries = await inTurn(
    {
      "build into an empty folder": () => {
        putAside(join(project.root, "build"));
        return command("build into an empty folder", "build");
      },
      "build, unchanged": () => command("build, unchanged", "build"),
      check: () => command("check", "check", "build/model_repository"),
    },
    { runs },
  );
  return {
    title: `${shape}, ${sizes.at(-1)} steps: whole processes (ms)`,
    rows: rowsOf(summaries).map((row) => ({
      ...row,
      extra: { "processor ms": Math.round(summarize(processorTimes.get(row.name)).median) },
    })),
    checks: [...summaries].map(([what, { median: ms }]) => ({
      what: `${what}: ${shape}`,
      value: `${Math.round(ms)} ms`,
      limit: `< ${limit} ms`,
      ok: ms < limit,
    })),
  };
};

const measureShape = (shape, runs, make) => {
  const projects = sizes.map((steps) => ({ steps, project: make(shape, steps) }));
  const results = new Map(sizes.map((steps) => [steps, []]));
  for (let round = -1; round < runs; round++)
    for (const { steps, project } of projects) {
      putAside(join(project.root, "build"));
      const result = JSON.parse(runNode([child, project.root, "build"]).stdout);
      if (round >= 0) results.get(steps).push(result);
    }
  return {
    title: `${shape}: ${shapes[shape].step}`,
    rows: [...results].map(([steps, all]) => rowOf(steps, all)),
    notes: [growthNote(results)],
  };
};

const median = (all, value) => summarize(all.map(value)).median;
const totalOf = ({ phases }) => Object.values(phases).reduce((sum, ms) => sum + ms, 0);

const rowOf = (steps, all) => ({
  name: `${steps} steps`,
  ...summarize(all.map(totalOf)),
  extra: {
    ...Object.fromEntries(
      growing.map((name) => [`${name} ms`, median(all, ({ phases }) => phases[name]).toFixed(0)]),
    ),
    "compile ms/step": (median(all, ({ phases }) => phases.compile) / steps).toFixed(2),
    "peak MB": median(all, ({ peakMb }) => peakMb).toFixed(0),
    models: all[0].models,
  },
});

/**
 * Cost of a step in the largest pipeline relative to one in the smallest (1 or less is linear), and the cost of one
 * more step.
 */
const growthNote = (results) => {
  const [small, middle, large] = sizes;
  const phase = (name, steps) => median(results.get(steps), ({ phases }) => phases[name]);
  const ratio = (name) => phase(name, large) / large / (phase(name, small) / small);
  const further = (name) => (phase(name, large) - phase(name, middle)) / (large - middle);
  const list = (value) => growing.map((name) => `${name} ${value(name).toFixed(2)}`).join(", ");
  return `per step, ${large} against ${small}: ${list(ratio)}; ms for a further step from ${middle} to ${large}: ${list(further)}`;
};
