import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildModel } from "@tritype/onnx";
import { compileProject, findProject } from "@tritype/project";
import { choiceAt, emptyState, runTune } from "@tritype/tune";
import pc from "picocolors";
import { readArguments } from "../../packages/cli/dist/command.js";
import { commands } from "../../packages/cli/dist/commands.js";
import { openTuning } from "../../packages/cli/dist/tune/open-tuning.js";
import { tunePlan } from "../../packages/cli/dist/tune/tune-plan.js";
import { tunedServer } from "../../packages/cli/dist/tune/tuned-server.js";
import { summarize } from "./measure.mjs";
import { copyExample, makeProject } from "./projects.mjs";
import { sentences } from "./texts.mjs";

/** The command line whose search is compared with a grid. */
const line = ["--target", "throughput", "--seconds", "0.5"];

const texts = sentences(24).map((text, index) => (index % 3 === 0 ? text.repeat(6) : text));

/** Tokenizer, encoder, tensor math: the example's small encoder with bad initial settings. */
const embed = () =>
  copyExample((text) =>
    text
      .replace("padding: { multipleOf: 16 }", "padding: { buckets: [128, 256] }")
      .replace("...model,", '...model, dynamicBatching: { preferredBatchSize: [16], maxQueueDelay: "2ms" },')
      .replace(
        / {2}warmup: \[[\s\S]*?\n {2}\],\n/,
        `  warmup: ${JSON.stringify(texts.map((one) => ({ inputs: { text: [one] } })))},\n`,
      ),
  );

/** A chain of matrix products, wide enough to keep a processor busy: FP32[batch, size] → the same. */
const products = (size, count) => {
  const type = { dtype: "FP32", dims: ["batch", size] };
  const weights = new Float32Array(size * size).map((_, i) => ((i % 13) - 6) / size);
  return buildModel(
    { name: "g", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] },
    (builder) => {
      const weight = builder.constant({
        dtype: "FP32",
        shape: [size, size],
        data: new Uint8Array(weights.buffer),
      });
      let value = "x";
      for (let i = 0; i < count; i++) value = builder.node("MatMul", [value, weight])[0];
      return { y: value };
    },
  );
};

const onnxStep = (name, size) => `const ${name} = onnx({
  name: "${name}",
  file: "models/${name}.onnx",
  inputs: { x: fp32("batch", ${size}) },
  outputs: { y: fp32("batch", ${size}) },
  dynamicBatching: { preferredBatchSize: [16], maxQueueDelay: "2ms" },
});
`;
const ensemble = (size, run) => `export const chain = defineEnsemble({
  name: "chain",
  maxBatchSize: 32,
  inputs: { x: fp32("batch", ${size}) },
  run: ({ x }) => ({ z: ${run} }),
  warmup: [{ inputs: { x: [${JSON.stringify(Array.from({ length: size }, (_, i) => (i % 7) / 7))}] } }],
});
`;
const chain = (source, size, models) => {
  const project = makeProject({ "pipeline.ts": source });
  mkdirSync(join(project.root, "models"));
  for (const [name, count] of Object.entries(models))
    writeFileSync(join(project.root, "models", `${name}.onnx`), products(size, count));
  return project;
};

/** Two models one after the other, each with its own delay. */
const twoModels = () =>
  chain(
    `import { defineEnsemble, fp32, onnx } from "tritype";\n${onnxStep("first", 256)}${onnxStep("second", 256)}${ensemble(256, "second({ x: first({ x }).y }).y")}`,
    256,
    { first: 6, second: 24 },
  );

/** One slow model with tensor math after it. */
const heavy = () =>
  chain(
    `import { defineEnsemble, fp32, onnx } from "tritype";\n${onnxStep("heavy", 512)}${ensemble(512, "heavy({ x }).y.softmax(-1)")}`,
    512,
    { heavy: 24 },
  );

/** The ensembles, each with the settings that the search and the grid cover. */
const cases = {
  heavy: {
    make: heavy,
    ensemble: "chain",
    knobs: ["heavy.instances", "heavy.delay", "heavy.preferred", "chain.members.instances"],
  },
  embed: {
    make: embed,
    ensemble: "embed",
    knobs: ["tokenize.padding", "encoder.instances", "encoder.delay", "embed.members.instances"],
  },
  "two models": {
    make: twoModels,
    ensemble: "chain",
    knobs: ["first.instances", "first.delay", "second.instances", "second.delay"],
  },
};

/**
 * How close `pipeline tune`, from bad initial settings, gets to the best point of an exhaustive grid, and with how many
 * candidates. `only` names one of the cases.
 */
export const tune = async (runs = 1, only) => {
  const rows = [];
  const checks = [];
  for (const [name, one] of Object.entries(cases)) {
    if (only !== undefined && only !== name) continue;
    const project = one.make();
    try {
      const samples = [];
      for (let round = 0; round < runs; round++) samples.push(await measure(one, project.root));
      const shares = samples.map(({ share }) => share);
      const [{ candidates, grid, found, best }] = samples;
      rows.push({ name, ...summarize(shares), extra: { candidates, grid, found, best } });
      const { median } = summarize(shares);
      console.error(
        `  ${name}: ${median.toFixed(2)} of the best, ${candidates} of ${grid}: ${found} (best: ${best})`,
      );
      checks.push({
        what: `${name}: share of the best`,
        value: median.toFixed(2),
        limit: ">= 0.95",
        ok: median >= 0.95,
      });
      checks.push({
        what: `${name}: candidates`,
        value: candidates,
        limit: `<= ${grid} / 10`,
        ok: candidates <= grid / 10,
      });
    } finally {
      project.remove();
    }
  }
  return [
    {
      title: "pipeline tune compared with an exhaustive grid (throughput, 16 clients)",
      unit: "of the best",
      rows,
      checks,
    },
  ];
};

const measure = async ({ ensemble: name, knobs: names }, root) => {
  const stop = new AbortController();
  const project = findProject(root);
  const base = await compileProject(project);
  const given = readArguments(
    commands.find((command) => command.name === "tune"),
    line,
  );
  const terminal = { cwd: root, env: process.env, note: () => undefined, colors: pc.createColors(false) };
  const plan = tunePlan(given);
  const tuning = await openTuning({
    given,
    terminal,
    plan,
    project,
    base,
    profile: { name: "tuned", base: undefined, ensemble: name },
    server: tunedServer(given, terminal),
    signal: stop.signal,
  });
  const { lab, optionsAt } = tuning;
  const knobs = tuning.knobs.filter(({ id }) => names.includes(id));
  try {
    const grid = distinct(gridOf(knobs), optionsAt);
    const mostRuns = Math.floor(grid.length / 10);
    const result = await runTune({
      ...plan,
      knobs,
      lab,
      state: emptyState("bench"),
      mostRuns,
      signal: stop.signal,
      onExperiment: () => undefined,
      onTrial: ({ point, verdict, comparison }) =>
        console.error(`  ${verdict} ${comparison?.ratio.toFixed(2) ?? ""} ${point}`),
    });
    const top = await bestOf(grid, lab, plan.load);
    const [won, ...others] = await Promise.all([result.best, ...top].map((point) => lab.open(point)));
    const rates = [won, ...others].map(() => []);
    // The variants run in turn, because the machine's speed drifts.
    for (let turn = 0; turn < 8; turn++)
      for (const [index, stand] of [won, ...others].entries())
        rates[index].push((await stand.measure(plan.load, 5)).perSecond);
    for (const stand of [won, ...others]) await stand.close();
    const medians = rates.map((all) => summarize(all).median);
    const best = Math.max(...medians);
    return {
      share: medians[0] / best,
      candidates: result.state.trials.length,
      grid: grid.length,
      found: show(knobs, result.best),
      best: show(knobs, [result.best, ...top][medians.indexOf(best)]),
    };
  } finally {
    await lab.close();
  }
};

/** The points of the grid with the best ratios to the start, which is measured next to each of them: candidates for the longer comparison. */
const bestOf = async (grid, lab, load) => {
  const base = await lab.open({});
  const found = [];
  try {
    for (const [index, point] of shuffled(grid).entries()) {
      if (index % 10 === 0) console.error(`  grid: ${index} of ${grid.length}`);
      const stand = await lab.open(point).catch(() => undefined);
      if (stand === undefined) continue;
      const [mine, theirs] = [await stand.measure(load, gridSeconds), await base.measure(load, gridSeconds)];
      await stand.close();
      if (mine.failed === undefined) found.push({ point, ratio: mine.perSecond / theirs.perSecond });
    }
  } finally {
    await base.close();
  }
  return found
    .toSorted((a, b) => b.ratio - a.ratio)
    .slice(0, 5)
    .map(({ point }) => point);
};

const gridSeconds = 2;

const gridOf = (knobs) =>
  knobs.reduce(
    (points, { id, choices }) =>
      points.flatMap((point) => choices.map((_, index) => ({ ...point, [id]: index }))),
    [{}],
  );

/** One point per build: preferred sizes without a delay are equivalent to none. */
const distinct = (points, optionsAt) => {
  const textOf = ({ profiles, members, own }) => JSON.stringify([[...profiles], members, [...own]]);
  return [...new Map(points.map((point) => [textOf(optionsAt(point)), point])).values()];
};

const shuffled = (points) => {
  let state = 1;
  return points
    .map((point) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return { point, state };
    })
    .toSorted((a, b) => a.state - b.state)
    .map(({ point }) => point);
};

const show = (knobs, point) => knobs.map((knob) => knob.choices[choiceAt(knob, point)].label).join("; ");
