import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildModel } from "@tritype/onnx";
import { parseCalibration, simulate } from "@tritype/plan";
import { installTriton, serveTriton } from "@tritype/tritonserver";
import { descendantsOf } from "./process-tree.mjs";
import { makeProject, pipelineBin } from "./projects.mjs";
import { buildRepository } from "./repository.mjs";

const cache = fileURLToPath(new URL("../../.cache", import.meta.url));

const size = 512;
/** Loads as shares of the capacity that the plan predicts for a server; none of them is measured for the plan. */
const shares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.3];
/** Seconds of each load: the first tenth warms up, as in the simulation. */
const seconds = 20;
/** The server's processor and that of its clients: a client on the server's processor would be part of the load. */
const [serverOn, clientOn] = [0, 1];

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
  const x = [Array.from({ length: size }, (_, i) => (i % 7) / 7)];
  const project = makeProject({
    "pipeline.ts": `import { defineEnsemble, fp32, onnx } from "tritype";
${step("first")}${step("second")}
export const chain = defineEnsemble({
  name: "chain",
  maxBatchSize: 16,
  inputs: { x: fp32("batch", ${size}) },
  run: ({ x }) => ({ z: second({ x: first({ x }).y }).y }),
});
`,
    "requests.jsonl": `${JSON.stringify({ x })}\n`,
  });
  mkdirSync(join(project.root, "models"));
  for (const [name, count] of [
    ["first", 16],
    ["second", 40],
  ])
    writeFileSync(join(project.root, "models", `${name}.onnx`), products(count));
  return project;
};

/** The predictions of `pipeline plan --triton` for loads on a real Triton, and what `pipeline bench` measures. */
export const plan = async (runs = 1) => {
  const project = chain();
  const resources = [() => project.remove()];
  try {
    const requests = ["--requests", "requests.jsonl"];
    const planned = [...requests, "--rate", "1", "--p99", "1s", "--save", "times.json", "--json"];
    const command = ["plan", "chain", "--triton", "--seconds", "1", ...planned];
    const { capacity } = await pipelineOn(serverOn, project, command, leaveServer);
    const { system } = parseCalibration(readFileSync(join(project.root, "times.json"), "utf8"));
    console.error(`  planned capacity: ${capacity.toFixed(0)} requests/s`);
    const server = await serveOn(serverOn, buildRepository(project));
    resources.push(() => server.stop());
    const rates = shares.map((share) => Math.max(1, Math.round(share * capacity)));
    const load = ["--protocol", "http", "--seconds", `${0.9 * seconds}`, "--warm", `${0.1 * seconds}`];
    const from = [...requests, "--url", server.httpUrl, "--rate", rates.join(), ...load, "--json"];
    const measured = [];
    for (let run = 0; run < runs; run++)
      measured.push(await pipelineOn(clientOn, project, ["bench", "chain", ...from]));
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
        title: "pipeline plan compared with a real Triton, p99",
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
    for (const close of resources.toReversed()) await close();
  }
};

const pipelineOn = async (processor, { root }, args, onStart = () => Promise.resolve()) => {
  const child = spawn("taskset", ["-c", `${processor}`, process.execPath, pipelineBin, ...args], {
    cwd: root,
    env: { ...process.env, TRITYPE_CACHE: cache },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  await Promise.race([closed, onStart(child.pid)]);
  const printed = await text(child.stdout);
  const [code] = await closed;
  if (code > 1) throw new Error(`pipeline ${args.join(" ")} ended with ${code}`);
  return JSON.parse(printed);
};

/** Moves a command to the clients' processor once it has started a Triton, which stays where it is. */
const leaveServer = async (pid) => {
  const isServer = ({ command }) => command[0].endsWith("tritonserver");
  while (existsSync(`/proc/${pid}`) && !descendantsOf(pid).some(isServer)) await sleep(20);
  if (existsSync(`/proc/${pid}`)) runOn(clientOn, pid);
};

/** Children are started on the processors of this process. */
const serveOn = async (processor, repository) => {
  const installation = await installTriton({ cache, notice: console.error });
  runOn(processor, process.pid);
  const server = await serveTriton(installation, { repository });
  runOn(`0-${cpus().length - 1}`, process.pid);
  await server.waitReady();
  return server;
};

const runOn = (processors, pid) => void execFileSync("taskset", ["-acp", `${processors}`, `${pid}`]);

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
