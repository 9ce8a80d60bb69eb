import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { buildModel } from "@tritype/onnx";
import { parseCalibration, simulate } from "@tritype/plan";
import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { summarize } from "./measure.mjs";
import { descendantsOf } from "./process-tree.mjs";
import { makeProject, pipelineBin } from "./projects.mjs";
import { buildRepository } from "./repository.mjs";

const cache = cacheFolder(process.env);

const size = 512;
/** The limit of the plan, in milliseconds: about 2.5 times the p99 of a server with hardly any load. */
const limit = 120;
/** Loads as shares of the capacity that the plan predicts for a server; none of them is measured for the plan. */
const shares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
/** Seconds of each load: the first tenth warms up, as in the simulation. */
const seconds = 30;
/**
 * The share of a load's time that the hypervisor may take from the server's processor. Above it, p99 depends on the hypervisor: such a
 * measurement counts only if all runs of the load are like it.
 */
const mostStolen = 0.004;
/** The machine does not stay equally fast, and a disturbance may fall into a measurement: the models are measured again after so many loads. */
const between = 2;
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
  dynamicBatching: { maxQueueDelay: "5ms" },
  parameters: { intra_op_thread_count: "1" },
});
`;

/**
 * Two models in a row, each with one instance, one thread and batches that form for 5 ms. One row takes about 4 and 9 ms, as in a small
 * encoder: the breaks of a virtual machine are short in comparison.
 */
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
    ["first", 160],
    ["second", 400],
  ])
    writeFileSync(join(project.root, "models", `${name}.onnx`), products(count));
  return project;
};

/**
 * The predictions of `pipeline plan --triton` for loads on a real Triton, and what `pipeline bench` measures. In each run, the models are
 * measured several times, between the loads; the prediction for a load is the median of theirs, for the same times of arrival.
 */
export const plan = async (runs = 5) => {
  const project = chain();
  const resources = [() => project.remove(), clearProcessor()];
  try {
    const repository = buildRepository(project);
    const measured = [];
    // The first one may find a slow processor, on which nothing has run for a while.
    const first = [await calibrate(project), await calibrate(project), await calibrate(project)];
    const capacity = median(first.map((one) => one.capacity));
    const rates = shares.map((share) => Math.max(1, Math.round(share * capacity)));
    let calibration = first[2];
    for (let seed = 1; seed <= runs; seed++) {
      const [loads, systems] = [[], [calibration.system]];
      while (loads.length < rates.length) {
        const next = rates.slice(loads.length, loads.length + between);
        loads.push(...(await loadTriton(project, repository, next, seed)));
        calibration = await calibrate(project);
        systems.push(calibration.system);
      }
      const cases = loads.map((load, i) => ({ ...load, paper: predict(systems, rates[i], seed) }));
      for (const [i, { latency, paper, stolen }] of cases.entries())
        console.error(
          `  ${rates[i]}/s: p50 ${latency.p50.toFixed(1)} ms, on paper ${paper.p50.toFixed(1)}; p99 ${latency.p99.toFixed(1)} ms, on paper ${paper.p99.toFixed(1)} (${(100 * stolen).toFixed(2)} % stolen)`,
        );
      measured.push(cases);
    }
    const rows = rates.map((rate, index) =>
      compare(
        rate,
        measured.map((cases) => cases[index]),
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

const requests = ["--requests", "requests.jsonl"];

/** The capacity planned for the limit, and the measured system. */
const calibrate = async (project) => {
  const planned = ["--rate", "1", "--p99", `${limit}ms`, "--save", "times.json", "--json"];
  const command = ["plan", "chain", "--triton", "--seconds", "2", ...requests, ...planned];
  const { capacity } = await pipelineOn(serverOn, project, command, leaveServer);
  console.error(`  planned capacity: ${capacity.toFixed(0)} requests/s`);
  return { capacity, ...parseCalibration(readFileSync(join(project.root, "times.json"), "utf8")) };
};

/** The measurements of `pipeline bench` at each rate, with other random times of arrival in each run. */
const loadTriton = async (project, repository, rates, seed) => {
  const server = await serveOn(serverOn, repository);
  try {
    const bench = async (...args) => {
      const from = [...requests, "--url", server.httpUrl, "--protocol", "http", "--seed", `${seed}`];
      return (await pipelineOn(clientOn, project, ["bench", "chain", ...from, ...args, "--json"])).cases[0];
    };
    // The first requests after the start of a server are slow; the first load would contain many of them.
    await bench("--clients", "16", "--seconds", "5");
    const cases = [];
    for (const rate of rates) {
      const load = ["--rate", `${rate}`, "--seconds", `${0.9 * seconds}`, "--warm", `${0.1 * seconds}`];
      const before = stolenTime();
      const measured = await bench(...load);
      cases.push({ ...measured, stolen: (stolenTime() - before) / seconds });
    }
    return cases;
  } finally {
    await server.stop();
  }
};

const median = (values) => summarize(values).median;

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
  runOn(clientOn, process.pid);
  await server.waitReady();
  return server;
};

const runOn = (processors, pid) => void execFileSync("taskset", ["-acp", `${processors}`, `${pid}`]);

/**
 * Moves everything else, kernel threads too, from the server's processor to that of the clients, as far as the kernel allows. Needs
 * root. Returns what moves it back.
 */
const clearProcessor = () => {
  const all = `0-${cpus().length - 1}`;
  const moved = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && hasMoved(pid, clientOn));
  return () => {
    for (const pid of moved) hasMoved(pid, all);
  };
};

/** Moves a process, if the kernel allows it. */
const hasMoved = (pid, processors) =>
  spawnSync("taskset", ["-acp", `${processors}`, pid], { stdio: "ignore" }).status === 0;

/** Seconds that the hypervisor has taken from the server's processor so far. */
const stolenTime = () => {
  const line = readFileSync("/proc/stat", "utf8").split("\n")[serverOn + 1];
  return Number(line.split(/\s+/)[8]) / 100;
};

const predict = (systems, rate, seed) => {
  const found = systems.map((system) => simulate(system, { rate, requests: rate * seconds, seed }));
  const typical = (of) => median(found.map((one) => one[of]));
  return { p50: typical("p50"), p99: typical("p99"), perSecond: typical("perSecond") };
};

/** Medians of the undisturbed runs. */
const compare = (rate, all) => {
  const quiet = all.filter(({ stolen }) => stolen <= mostStolen);
  const cases = quiet.length > 0 ? quiet : all;
  const p99 = cases.map(({ latency }) => latency?.p99 ?? Number.NaN);
  const paper = cases.map((one) => one.paper);
  const answered = median(cases.map(({ requestsPerSecond }) => requestsPerSecond));
  const perSecond = median(paper.map((one) => one.perSecond));
  const ratios = paper.map((one, run) => one.p99 / p99[run]);
  return {
    name: `${rate}/s`,
    n: cases.length,
    median: median(p99),
    min: Math.min(...p99),
    max: Math.max(...p99),
    extra: {
      "p99 on paper": median(paper.map((one) => one.p99)).toFixed(2),
      "p99 ratio": median(ratios).toFixed(2),
      "requests/s": answered.toFixed(0),
      "on paper": perSecond.toFixed(0),
      "rate ratio": (perSecond / answered).toFixed(2),
      "p50 ratio": median(cases.map((one) => one.paper.p50 / one.latency.p50)).toFixed(2),
      "stolen %": (100 * Math.max(...cases.map(({ stolen }) => stolen))).toFixed(1),
    },
  };
};
