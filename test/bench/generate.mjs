import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { runNode } from "./child.mjs";
import { translations } from "./generate-rows.mjs";
import { summarize } from "./measure.mjs";
import { makeProject, pipelineBin } from "./projects.mjs";
import { startChild } from "./serving-child.mjs";

const files = fileURLToPath(new URL("../../examples/m2m100-translation/models/fp32", import.meta.url));
const models = ["merged", "split", "beams"];
const clientCounts = [1, 16];
const seconds = 0.8;

const pipeline = `
import { defineEnsemble, generate, int64 } from "tritype";

const shared = {
  from: "fp32",
  maxNewTokens: 63,
  perRequest: ["forced_bos_token_id", "min_new_tokens", "max_new_tokens"],
} as const;
const merged = generate({ name: "merged", ...shared, search: { kind: "greedy" } });
const split = generate({
  name: "split",
  ...shared,
  search: { kind: "greedy" },
  decoder: "fp32/decoder_model.onnx",
  decoderWithPast: "fp32/decoder_with_past_model.onnx",
});
const beams = generate({ name: "beams", ...shared, search: { kind: "beam", beams: 4 } });

export const translate = defineEnsemble({
  name: "translate",
  maxBatchSize: 16,
  inputs: {
    input_ids: int64("batch", "seq"),
    attention_mask: int64("batch", "seq"),
    language: int64("batch", 1),
  },
  run({ input_ids, attention_mask, language }) {
    const given = { input_ids, attention_mask, forced_bos_token_id: language };
    return {
      merged: merged(given).sequences,
      split: split(given).sequences,
      beams: beams(given).sequences,
    };
  },
});
`;

/** The M2M100 of the example: native, emitted Python, a real Triton and a loop without cache; batches, beams, memory. */
export const generate = async (runs = 3, requests = 10_000) => {
  const project = makeProject({ "pipeline.ts": pipeline });
  const running = [];
  const start = async (...args) => {
    const child = await startChild("generate-caller.mjs", args);
    running.push(child);
    return child;
  };
  const stopAll = async () => {
    while (running.length > 0) await running.pop().stop();
  };
  try {
    cpSync(files, join(project.root, "fp32"), { recursive: true });
    runNode([pipelineBin, "build"], { cwd: project.root });
    const repository = join(project.root, "build", "model_repository");
    const installation = await installTriton({ cache: cacheFolder(), notice: console.error });
    const python = process.env.TRITYPE_PYTHON || installation.python;
    const triton = await serveTriton(installation, { repository });
    running.push(triton);
    await triton.waitReady();
    const ways = {
      naive: await start("naive", files),
      native: await start("native", repository, python, ...models),
      Python: await start("Python", repository, python, ...models),
      Triton: await start("Triton", triton.grpcAddress),
    };
    const bench = { runs, ways };
    await demandRightAnswers(ways);
    const sections = [
      await rates(bench, "translations, about 9 tokens each", {}),
      await rates(bench, "60 tokens each", { min_new_tokens: 60, max_new_tokens: 60 }),
      await batches(bench),
      await beams(bench),
    ];
    await stopAll();
    const alone = async (way) => {
      await stopAll();
      return start(way, repository, python, "merged");
    };
    return [...sections, await memory(alone, requests)];
  } finally {
    await stopAll();
    project.remove();
  }
};

/** The variants that run in turn: each way to generate text, with each set of files that it supports. */
const sides = [
  ["naive", "merged", "loop without cache"],
  ["native", "merged", "native, merged"],
  ["native", "split", "native, split"],
  ["Python", "merged", "Python, merged"],
  ["Python", "split", "Python, split"],
  ["Triton", "merged", "Triton, merged"],
  ["Triton", "split", "Triton, split"],
];
const singles = translations.map((_, index) => [index]);

/** A fast but wrong answer does not count. */
const demandRightAnswers = async (ways) => {
  const expected = translations.map((row) => row.expected);
  for (const [way, model, name] of sides)
    if (!isDeepStrictEqual(await ways[way].ask({ kind: "answers", model }), expected))
      throw new Error(`${name}: its answers differ from those of transformers`);
};

const rates = async ({ runs, ways }, title, limits) => {
  const samples = new Map();
  for (let round = 0; round < runs; round++)
    for (const clients of clientCounts)
      for (const [way, model, side] of sides) {
        const call = { model, requests: singles, limits, clients };
        collect(samples, `${ofClients(clients)}: ${side}`, await warmLoad(ways[way], call));
      }
  const baseOf = (name) => samples.get(name.replace(/: .*/, ": loop without cache"));
  return {
    title: `generate(), greedy, ${title}`,
    rows: rowsFrom(samples, "rate", { "of naive": baseOf, "of Python": (name) => pythonOf(samples, name) }),
    notes: [
      "times are the median of one request; ratios compare tokens per second and are medians over the rounds",
      "the loop, native and Python variants are called in process, Triton over gRPC; Python and Triton run the same emitted files",
      "the loop calls session.run in one thread, with the twin's session options, one row at a time",
    ],
  };
};

/** The result of the emitted Python with the same files and the same number of clients. */
const pythonOf = (samples, name) =>
  samples.get(name.replace(/: .*/, name.endsWith("split") ? ": Python, split" : ": Python, merged"));

/** Eight rows of all lengths, shortest first. */
const mixed = singles
  .flat()
  .toSorted((a, b) => translations[a].prompt.length - translations[b].prompt.length)
  .filter((_, at) => at % 4 === 0)
  .slice(0, 8);

const batches = async ({ runs, ways }) => {
  const samples = new Map();
  for (let round = 0; round < runs; round++)
    for (const way of ["native", "Python"])
      for (const [name, requests] of [
        ["8 single requests, one after another", mixed.map((index) => [index])],
        ["a batch of 8", [mixed]],
      ]) {
        const made = await warmLoad(ways[way], { model: "merged", requests, clients: 1 });
        collect(samples, `${way}: ${name}`, { ...made, p50: made.p50 * requests.length });
      }
  const baseOf = (name) => samples.get(name.replace(/: .*/, ": 8 single requests, one after another"));
  const lengths = mixed.map((index) => translations[index].prompt.length);
  return {
    title: "generate(), eight rows",
    rows: rowsFrom(samples, "rate", { "of singles": baseOf }),
    notes: [
      `greedy, merged; ${lengths.join(", ")} tokens; the time is for all eight; for single requests, it is eight times the median`,
    ],
  };
};

const beams = async ({ runs, ways }) => {
  const samples = new Map();
  for (let round = 0; round < runs; round++)
    for (const way of ["native", "Python", "Triton"])
      for (const [name, model] of [
        ["greedy", "merged"],
        ["4 beams", "beams"],
      ])
        collect(
          samples,
          `${way}: ${name}`,
          await warmLoad(ways[way], { model, requests: singles, clients: 1 }),
        );
  return {
    title: "generate(), beams, 1 client",
    rows: rowsFrom(samples, "rate", {
      "of greedy": (name) => samples.get(name.replace(/: .*/, ": greedy")),
    }),
    notes: ["tokens of the best sequence only"],
  };
};

/** Growth that counts as flat, in MB: the variation that garbage collection leaves between two measurements. */
const flat = 8;

/** Rounds of all requests. The last one must be flat; before that, V8's heaps grow to their working size. */
const watched = [
  { what: "the native runtime's process", way: "native", rounds: 2 },
  { what: "the Python child", way: "Python", rounds: 1 },
];

/** @param start Starts a way in a fresh process. */
const memory = async (start, requests) => {
  const notes = [];
  const checks = [];
  const parts = [0.1, 0.5, 1].map((share) => Math.max(1, Math.round(requests * share)));
  for (const { what, way, rounds } of watched) {
    const side = await start(way);
    const looks = [];
    let sent = 0;
    for (const count of Array.from({ length: rounds }, (_, round) =>
      parts.map((part) => part + round * requests),
    ).flat()) {
      const call = {
        kind: "load",
        model: "merged",
        requests: singles,
        limits: { max_new_tokens: 6 },
        clients: 4,
      };
      await side.ask({ ...call, count: count - sent });
      sent = count;
      const { resident, children, heap } = await side.ask({ kind: "memory" });
      looks.push({
        count: count.toLocaleString("en"),
        size: (way === "native" ? resident : children) / 2 ** 20,
        heap: heap / 2 ** 20,
      });
    }
    const listed = (key) => looks.map((look) => `${look.count}: ${look[key].toFixed(1)}`).join(", ");
    notes.push(`resident MB of ${what} after so many requests: ${listed("size")}`);
    if (way === "native")
      notes.push(`MB in use on its main thread's heap after a collection: ${listed("heap")}`);
    const [from, , to] = looks.slice(-parts.length);
    const grown = to.size - from.size;
    checks.push({
      what: `${what}, growth from ${from.count} to ${to.count} requests`,
      value: `${grown.toFixed(1)} MB`,
      limit: `below ${flat} MB`,
      ok: grown < flat,
    });
  }
  return { title: `memory over ${requests.toLocaleString("en")} requests`, rows: [], notes, checks };
};

const ofClients = (clients) => `${clients} ${clients === 1 ? "client" : "clients"}`;

const warmLoad = async (side, call) => {
  await side.ask({ kind: "load", ...call, seconds: 0.15 });
  return side.ask({ kind: "load", ...call, seconds });
};

const collect = (samples, name, sample) => samples.set(name, [...(samples.get(name) ?? []), sample]);

/** @param ratios Heading → the samples by which a row's samples are divided, given the row's name. */
const rowsFrom = (samples, key, ratios) =>
  [...samples].map(([name, all]) => ({
    name,
    ...summarize(all.map(({ p50 }) => p50)),
    extra: {
      "tokens/s": Math.round(summarize(all.map((one) => one[key])).median),
      ...Object.fromEntries(
        Object.entries(ratios).map(([heading, baseOf]) => {
          const base = baseOf(name);
          const each = all.map((one, round) => one[key] / base[round][key]);
          return [heading, summarize(each).median.toFixed(2)];
        }),
      ),
    },
  }));
