import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { httpClient } from "@tritype/client";
import { encodeUtf8, tensorOf, valuesOf } from "@tritype/core";
import { cacheFolder, installTriton, serveTriton, withRequirements } from "@tritype/tritonserver";
import { bodies } from "./load.mjs";
import { summarize } from "./measure.mjs";
import { buildNodeProject } from "./node-project.mjs";
import { descendantsOf, processorTime, residentMemory } from "./process-tree.mjs";
import { startChild } from "./serving-child.mjs";

/** Seconds per turn: short, so that the variants of a case run under the same load of the machine. */
const seconds = 0.15;

/** Functions and flows on Node compared with emitted and hand-written Python, all in one real Triton. */
export const node = async (runs = 24, requests = 100_000) => {
  const { build, repository, remove } = buildNodeProject();
  const resources = [remove];
  try {
    const notice = console.error;
    const triton = await installTriton({ cache: cacheFolder(process.env), notice });
    const requirements = readFileSync(`${build}/requirements.txt`, "utf8");
    const installation = await withRequirements(triton, requirements, { notice });
    const server = await serveTriton(installation, { repository });
    resources.push(() => server.stop());
    await server.waitReady();
    await demandSameAnswers(server.httpUrl);
    const caller = await startChild("load-caller.mjs", []);
    resources.push(caller.stop);
    const bench = { runs, ask: askOf(server, caller) };
    return [...(await compare(bench, cases)), await startOfChild(bench), await memory(bench, requests)];
  } finally {
    for (const close of resources.toReversed()) await close();
  }
};

const texts = (name, rows, text) => [
  name,
  { dtype: "BYTES", shape: [rows, 1], data: Array(rows).fill(encodeUtf8(text)) },
];
const sentence =
  "  The committee will meet again on Thursday in New York \n with Ada Lovelace to decide about the bridge. ".repeat(
    3,
  );
const words = Array.from({ length: 64 }, (_, at) => (at % 7 === 0 ? "York" : `word${at}`)).join(" ");
const tags = (rows) => Array.from({ length: rows * 64 }, (_, at) => [0, 0, 1, 2, 0, 3, 4, 4][at % 8]);
const numbers = [
  "x",
  tensorOf(
    "FP32",
    [1, 16],
    Array.from({ length: 16 }, (_, at) => at / 7),
  ),
];
const pixels = [
  "pixels",
  tensorOf(
    "UINT8",
    [1, 224, 224, 3],
    Array.from({ length: 150_528 }, (_, at) => at % 251),
  ),
];

/**
 * The comparisons: models `<model>_<variant>`, with the same inputs for all variants; `limits` apply to Node relative
 * to each of the others.
 */
const cases = [
  ...[1, 16]
    .flatMap((clients) => [
      {
        title: "no-op",
        model: "noop_text",
        what: "a text",
        inputs: [texts("text", 1, sentence)],
        clients,
        limit: 1.3,
      },
      { title: "no-op", model: "noop_numbers", what: "16 numbers", inputs: [numbers], clients, limit: 1.3 },
    ])
    .map((one) => ({ ...one, variants: ["python", "by_hand", "node"] })),
  ...[1, 32].flatMap((rows) =>
    [
      { model: "clean", inputs: [texts("text", rows, sentence)] },
      {
        model: "label",
        inputs: [
          texts("label", rows, "LABEL_2"),
          ["score", tensorOf("FP32", [rows, 1], Array(rows).fill(0.9871))],
        ],
      },
      {
        model: "spans",
        inputs: [texts("text", rows, words), ["tags", tensorOf("INT32", [rows, 64], tags(rows))]],
      },
    ].map((one) => ({
      title: "texts and JSON",
      what: `${one.model}, ${rows} ${rows === 1 ? "row" : "rows"}`,
      clients: 1,
      limit: 1,
      ...one,
    })),
  ),
  {
    title: "a picture of 224 × 224 × 3",
    model: "normalize",
    what: "normalized in a plain loop",
    inputs: [pixels],
    clients: 1,
    under: 10,
  },
  {
    title: "calls of another model",
    model: "call_one",
    what: "one call",
    inputs: [numbers],
    clients: 1,
    limit: 1.5,
  },
  {
    title: "calls of another model",
    model: "call_eight",
    what: "eight at once",
    inputs: [numbers],
    clients: 1,
    limit: 1.5,
  },
].map((one) => ({ variants: ["by_hand", "node"], ...one }));

const called = { by_hand: "Python by hand", python: "emitted Python", node: "Node" };

/**
 * Puts one model under load: the milliseconds of one request, requests per second, and the server's processor time per
 * request in µs.
 */
const askOf = (server, caller) => async (model, inputs, load) => {
  const used = () =>
    descendantsOf(process.pid)
      .filter(({ pid }) => pid !== caller.pid)
      .reduce((sum, { pid }) => sum + processorTime(pid), 0);
  const message = {
    protocol: "http",
    target: server.httpUrl,
    bodies: [bodies.http(model, new Map(inputs)).toString("base64")],
    ...load,
  };
  const before = used();
  const made = await caller.ask(message);
  return { ...made, processor: (used() - before) / made.requests };
};

/** A fast but wrong answer does not count. */
const demandSameAnswers = async (url) => {
  const client = httpClient(url);
  for (const { model, variants, inputs } of cases) {
    const answers = [];
    for (const variant of variants) {
      const outputs = await client.infer({ model: `${model}_${variant}`, inputs: new Map(inputs) });
      answers.push([...outputs.values()].flatMap(valuesOf));
    }
    const [first, ...others] = answers;
    const isSame = (value, at) =>
      typeof value === "number" ? Math.abs(value - first[at]) < 1e-5 : value === first[at];
    if (!others.every((one) => one.length === first.length && one.every(isSame)))
      throw new Error(`${model}: the answers differ`);
  }
  await client.close();
};

const compare = async ({ runs, ask }, all) => {
  const rounds = all.map(({ variants }) => new Map(variants.map((variant) => [variant, []])));
  for (const { model, variants, inputs } of all)
    for (const variant of variants) await ask(`${model}_${variant}`, inputs, { clients: 16, seconds: 1 });
  const load = [loadavg()[0]];
  for (let round = 0; round < runs; round++)
    for (const [at, { model, variants, inputs, clients }] of all.entries())
      for (const variant of round % 2 === 0 ? variants : variants.toReversed())
        rounds[at].get(variant).push(await ask(`${model}_${variant}`, inputs, { clients, seconds }));
  load.push(loadavg()[0]);
  return [...new Set(all.map(({ title }) => title))].map((title) => {
    const made = all.flatMap((one, at) => (one.title === title ? [rowsOf(one, rounds[at])] : []));
    return {
      title,
      rows: made.flatMap(({ rows }) => rows),
      checks: made.flatMap(({ checks }) => checks),
      notes: [
        `time of one request, the median of a turn of ${seconds} s; Node over: median of the ratios of neighbouring turns (1 client: time; 16 clients: requests per second)`,
        `load of the machine before and after: ${load.map((one) => one.toFixed(1)).join(", ")}`,
      ],
    };
  });
};

const rowsOf = ({ what, clients, variants, limit, under }, samples) => {
  const name = `${what}, ${clients} ${clients === 1 ? "client" : "clients"}`;
  const time = ({ p50, rate }) => (clients === 1 ? p50 : 1 / rate);
  const median = (all, key) => summarize(all.map((sample) => sample[key])).median;
  const over = (variant, of) =>
    summarize(samples.get("node").map((sample, round) => of(sample) / of(samples.get(variant)[round])))
      .median;
  const others = limit === undefined ? [] : variants.filter((variant) => variant !== "node");
  const [whole] = under === undefined ? [] : [median(samples.get("node"), "p50")];
  return {
    rows: variants.map((variant) => ({
      name: `${name}: ${called[variant]}`,
      ...summarize(samples.get(variant).map(({ p50 }) => p50)),
      extra: {
        "requests/s": Math.round(median(samples.get(variant), "rate")),
        "processor µs": Math.round(median(samples.get(variant), "processor")),
        ...(variant === "node"
          ? {}
          : {
              "Node over": over(variant, time).toFixed(2),
              "in processor time": over(variant, ({ processor }) => processor).toFixed(2),
            }),
      },
    })),
    checks: [
      ...others.map((variant) => {
        const value = over(variant, time);
        return {
          what: `${name}, Node over ${called[variant]}`,
          value: `${value.toFixed(2)} (processor time: ${over(variant, ({ processor }) => processor).toFixed(2)})`,
          limit: `at most ${limit}`,
          ok: value <= limit,
        };
      }),
      ...(whole === undefined
        ? []
        : [
            {
              what: `${name}, whole request`,
              value: `${whole.toFixed(1)} ms`,
              limit: `under ${under} ms`,
              ok: whole < under,
            },
          ]),
    ],
  };
};

const nodeOf = (model) =>
  descendantsOf(process.pid).find(({ command }) =>
    command.some((word) => word.endsWith(`${model}/1/host.mjs`)),
  );

/** The additional time of a request whose Node process has exited, from start to first answer. */
const startOfChild = async ({ runs, ask }) => {
  const samples = [];
  for (let round = 0; round < Math.min(runs, 12); round++) {
    const one = { clients: 1, seconds: 60, count: 1 };
    const usual = await ask("noop_text_node", [texts("text", 1, sentence)], one);
    const child = nodeOf("noop_text_node");
    process.kill(child.pid, "SIGKILL");
    await sleep(100);
    const { p50 } = await ask("noop_text_node", [texts("text", 1, sentence)], one);
    if (nodeOf("noop_text_node").pid === child.pid) throw new Error("Node was not restarted");
    samples.push(p50 - usual.p50);
  }
  const row = { name: "next request after Node has exited", ...summarize(samples) };
  return {
    title: "start of a Node process, to its first answer",
    rows: [row],
    checks: [
      { what: "median", value: `${row.median.toFixed(0)} ms`, limit: "under 150 ms", ok: row.median < 150 },
    ],
  };
};

const memory = async ({ ask }, requests) => {
  const { pid } = nodeOf("noop_text_node");
  const stub = descendantsOf(process.pid).find(
    (one) => descendantsOf(one.pid).some((child) => child.pid === pid) && one.command[0].includes("stub"),
  );
  const sizes = [];
  for (let part = 0; part <= 5; part++) {
    await ask("noop_text_node", [texts("text", 1, sentence)], {
      clients: 16,
      seconds: 600,
      count: requests / 5,
    });
    sizes.push({ node: residentMemory(pid), stub: residentMemory(stub.pid) });
  }
  const grown = (key) => Math.max(...sizes.slice(1).map((size) => size[key])) / sizes[0][key];
  return {
    title: `memory over ${requests} requests`,
    rows: [],
    notes: ["node", "stub"].map(
      (key) =>
        `${key === "node" ? "Node" : "the model's Python"}: resident MB after ${requests / 5} requests, and after each ${requests / 5} more: ${sizes.map((size) => size[key]).join(", ")}`,
    ),
    checks: ["node", "stub"].map((key) => ({
      what: `${key === "node" ? "Node" : "Python"}, largest over the first`,
      value: grown(key).toFixed(2),
      limit: "at most 1.1",
      ok: grown(key) <= 1.1,
    })),
  };
};
