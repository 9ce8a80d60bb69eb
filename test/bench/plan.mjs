import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildModel } from "@tritype/onnx";
import { parseCalibration, simulate } from "@tritype/plan";
import { runNode } from "./child.mjs";
import { makeProject, pipelineBin } from "./projects.mjs";

const size = 256;
/** Loads as shares of the server's capacity in the plan; the plan itself does not measure them. */
const shares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.3];
/** Seconds of each load: the first tenth warms up, as in the simulation. */
const seconds = 10;

/** A chain of matrix products: FP32[batch, size] → the same. */
const products = (count) => {
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

const step = (name) => `const ${name} = onnx({
  name: "${name}",
  file: "models/${name}.onnx",
  inputs: { x: fp32("batch", ${size}) },
  outputs: { y: fp32("batch", ${size}) },
  instanceGroup: [{ kind: "cpu", count: 1 }],
  dynamicBatching: { maxQueueDelay: "1ms" },
  parameters: { intra_op_thread_count: "1" },
});
`;

/** Two models in a row, each with one instance, one thread and batches that form for a millisecond. */
const chain = () => {
  const row = JSON.stringify(Array.from({ length: size }, (_, i) => (i % 7) / 7));
  const project = makeProject({
    "pipeline.ts": `import { defineEnsemble, fp32, onnx } from "tritype";
${step("first")}${step("second")}
export const chain = defineEnsemble({
  name: "chain",
  maxBatchSize: 16,
  inputs: { x: fp32("batch", ${size}) },
  run: ({ x }) => ({ z: second({ x: first({ x }).y }).y }),
  warmup: [{ inputs: { x: [${row}] } }],
});
`,
  });
  mkdirSync(join(project.root, "models"));
  for (const [name, count] of [
    ["first", 40],
    ["second", 160],
  ])
    writeFileSync(join(project.root, "models", `${name}.onnx`), products(count));
  return project;
};

/** The predictions of `pipeline plan --triton` for loads on a real Triton, and what `pipeline bench --triton` measures. */
export const plan = async (runs = 1) => {
  const project = chain();
  try {
    const pipeline = (...args) =>
      runNode([pipelineBin, ...args], { cwd: project.root, codes: [0, 1] }).stdout;
    const planned = ["--rate", "1", "--p99", "1s", "--save", "times.json", "--json"];
    const { capacity } = JSON.parse(pipeline("plan", "chain", "--triton", "--seconds", "1", ...planned));
    const { system } = parseCalibration(readFileSync(join(project.root, "times.json"), "utf8"));
    console.error(`  capacity on paper: ${capacity.toFixed(0)} requests/s`);
    const rates = shares.map((share) => Math.max(1, Math.round(share * capacity)));
    const load = ["--protocol", "http", "--seconds", `${0.9 * seconds}`, "--warm", `${0.1 * seconds}`];
    const measured = Array.from({ length: runs }, () =>
      JSON.parse(pipeline("bench", "chain", "--triton", "--rate", rates.join(), ...load, "--json")),
    );
    const rows = rates.map((rate, index) =>
      compare(
        system,
        rate,
        measured.map(({ cases }) => cases[index]),
      ),
    );
    const within = (of) => rows.filter((row) => Math.abs(Number(row.extra[of]) - 1) <= 0.2).length;
    return [
      {
        title: "pipeline plan against a real Triton, p99",
        rows,
        checks: ["rate ratio", "p99 ratio"].map((what) => ({
          what: `${what}, loads within 20 %`,
          value: within(what),
          limit: `>= ${rows.length}`,
          ok: within(what) === rows.length,
        })),
      },
    ];
  } finally {
    project.remove();
  }
};

const compare = (system, rate, cases) => {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const found = [1, 2, 3].map((seed) => simulate(system, { rate, requests: rate * seconds, seed }));
  const [paper, perSecond] = [mean(found.map(({ p99 }) => p99)), mean(found.map((one) => one.perSecond))];
  const p99 = cases.map(({ latency }) => latency?.p99 ?? Number.NaN);
  const answered = mean(cases.map(({ requestsPerSecond }) => requestsPerSecond));
  return {
    name: `${rate}/s`,
    n: cases.length,
    median: mean(p99),
    min: Math.min(...p99),
    max: Math.max(...p99),
    extra: {
      "p99 on paper": paper.toFixed(2),
      "p99 ratio": (paper / mean(p99)).toFixed(2),
      "requests/s": answered.toFixed(0),
      "on paper": perSecond.toFixed(0),
      "rate ratio": (perSecond / answered).toFixed(2),
    },
  };
};
