import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { meanOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { compileProject, findProject } from "@tritype/project";
import { choiceAt, emptyState, runTune, sureGain } from "@tritype/tune";
import pc from "picocolors";
import { readArguments } from "../../packages/cli/dist/command.js";
import { commands } from "../../packages/cli/dist/commands.js";
import { openTuning } from "../../packages/cli/dist/tune/open-tuning.js";
import { tunePlan } from "../../packages/cli/dist/tune/tune-plan.js";
import { tunedServer } from "../../packages/cli/dist/tune/tuned-server.js";
import { machine } from "./machine.mjs";
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
 * candidates. `only` names one of the cases. Measurements are kept in `test/.cache`, so an interrupted run continues, and the
 * next one does not measure the grid again. Delete the file after a change that affects rates.
 */
export const tune = async (runs = 1, only) => {
  const rows = [];
  const checks = [];
  for (const [name, one] of Object.entries(cases)) {
    if (only !== undefined && only !== name) continue;
    const project = one.make();
    try {
      const samples = [];
      for (let round = 0; round < runs; round++) samples.push(await measure(name, one, project.root));
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
      title:
        "pipeline tune compared with an exhaustive grid (throughput, 16 clients; the result and the grid's best were measured again, in turn)",
      unit: "of the best",
      rows,
      checks,
    },
  ];
};

const measure = async (title, one, root) => {
  const known = openRecord(title);
  const { knobs, optionsAt, lab, plan } = await tuningOf(one, root, {});
  const grid = distinct(gridOf(knobs), optionsAt);
  try {
    const top = await bestOf(grid, one, root, knobs, known);
    const result = await runTune({
      ...plan,
      knobs,
      lab,
      state: known.record.search ?? emptyState("bench"),
      mostRuns: Math.floor(grid.length / 10),
      signal: new AbortController().signal,
      onExperiment: () => undefined,
      onTrial: ({ point, verdict, comparison }, search) => {
        const { ratio, low, high, pairs } = comparison ?? {};
        console.error(
          `  ${verdict} ${ratio?.toFixed(2)} (${low?.toFixed(2)} to ${high?.toFixed(2)}, ${pairs} pairs): ${point.replaceAll("\n", "; ")}`,
        );
        known.keep({ search });
      },
    });
    const { ratio, low, high, pairs } = result.confirmed ?? {};
    console.error(
      `  best: ${show(knobs, result.best)}${ratio === undefined ? "" : `, confirmed with ${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}, ${pairs} pairs)`}`,
    );
    // Without a sure gain, the command keeps the current settings.
    const found = sureGain(result) === undefined ? result.base : result.best;
    const { share, best } = await compareWithBest(found, top, lab, plan.load, knobs);
    known.keep({ search: undefined });
    return {
      share,
      candidates: result.state.trials.length,
      grid: grid.length,
      found: show(knobs, found),
      best: show(knobs, best),
    };
  } finally {
    await lab.close();
  }
};

const tuningOf = async ({ ensemble: name, knobs: names }, root, changes) => {
  const project = findProject(root);
  const base = await compileProject(project);
  const given = readArguments(
    commands.find((command) => command.name === "tune"),
    line,
  );
  const terminal = { cwd: root, env: process.env, note: () => undefined, colors: pc.createColors(false) };
  const plan = { ...tunePlan(given), ...changes };
  const tuning = await openTuning({
    given,
    terminal,
    plan,
    project,
    base,
    profile: { name: "tuned", base: undefined, ensemble: name },
    server: tunedServer(given, terminal),
    signal: new AbortController().signal,
  });
  return { ...tuning, plan, knobs: tuning.knobs.filter(({ id }) => names.includes(id)) };
};

/** Rounds of the grid: all points, then those that looked best, with more pairs of slices. */
const rounds = [
  { share: 1, pairs: 2 },
  { share: 1 / 6, pairs: 8 },
];
const gridSeconds = 0.3;

/** The points of the grid with the best ratios to the start, which is measured next to each of them: candidates for the longer comparison. */
const bestOf = async (grid, one, root, knobs, { record, keep }) => {
  let left = shuffled(grid);
  for (const [round, { share, pairs }] of rounds.entries()) {
    const ratioOf = (point) => record.grid[`${round}: ${show(knobs, point)}`];
    left = left.slice(0, Math.ceil(grid.length * share));
    const open = left.filter((point) => ratioOf(point) === undefined);
    if (open.length > 0) {
      const { lab, plan } = await tuningOf(one, root, { seconds: gridSeconds });
      const base = await lab.open({});
      for (let slice = 0; slice < 20; slice++) await base.measure(plan.load, 5);
      for (const [index, point] of open.entries()) {
        if (index % 12 === 0) console.error(`  grid, round ${round + 1}: ${index} of ${open.length}`);
        const stand = await lab.open(point).catch(() => undefined);
        let ratio = 0;
        if (stand !== undefined) {
          const logs = [];
          for (let pair = 0; pair < pairs; pair++) {
            const [mine, theirs] = [await stand.measure(plan.load, 5), await base.measure(plan.load, 5)];
            logs.push(mine.failed === undefined ? Math.log(mine.perSecond / theirs.perSecond) : -Infinity);
          }
          ratio = Math.exp(meanOf(logs));
          await stand.close();
        }
        keep({ grid: { ...record.grid, [`${round}: ${show(knobs, point)}`]: ratio } });
      }
      await base.close();
      await lab.close();
    }
    left = left.toSorted((a, b) => ratioOf(b) - ratioOf(a));
  }
  return left.slice(0, 5);
};

/**
 * Measures the result of the search and the best of the grid again, in turn, because the machine's speed drifts. The best of many
 * noisy measurements looks better than it is: the first half of the turns selects the best one, and only the second half compares.
 */
const compareWithBest = async (found, top, lab, load, knobs) => {
  const key = show(knobs, found);
  const points = [found, ...top.filter((point) => show(knobs, point) !== key)];
  const stands = [];
  for (const point of points) stands.push(await lab.open(point));
  const logs = points.map(() => []);
  for (let turn = 0; turn < turns; turn++)
    for (const [index, stand] of [...stands.entries()][turn % 2 === 0 ? "slice" : "toReversed"]())
      logs[index].push(Math.log((await stand.measure(load, 5)).perSecond));
  for (const stand of stands) await stand.close();
  const [first, second] = [
    logs.map((all) => meanOf(all.slice(0, turns / 2))),
    logs.map((all) => meanOf(all.slice(turns / 2))),
  ];
  const best = first.indexOf(Math.max(...first));
  for (const [index, point] of points.entries())
    console.error(
      `  ${index === 0 ? "found" : "grid"}: ${Math.exp(first[index]).toFixed(0)}, ${Math.exp(second[index]).toFixed(0)} per second: ${show(knobs, point)}`,
    );
  return { share: Math.exp(second[0] - second[best]), best: points[best] };
};
const turns = 24;

/** The measurements so far, in a file that git ignores. */
const openRecord = (title) => {
  const folder = new URL("../.cache/", import.meta.url);
  const file = new URL(`tune-${title.replace(" ", "-")}.json`, folder);
  const key = JSON.stringify([machine().cores, machine().versions, line]);
  let record = { key, grid: {} };
  try {
    const read = JSON.parse(readFileSync(file, "utf8"));
    if (read.key === key) record = read;
  } catch {
    // There is no record yet.
  }
  return {
    record,
    keep: (changes) => {
      Object.assign(record, changes);
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, JSON.stringify(record));
    },
  };
};

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
