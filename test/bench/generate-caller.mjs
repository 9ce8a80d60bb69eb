// One way to generate text, with its callers, in a separate process: each caller sends its next request when the last
// one is answered. Arguments: the way, its location and, for a runtime, the Python command and the models.
import { readdirSync, readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { grpcClient } from "@tritype/client";
import { startRuntime } from "@tritype/runtime";
import { openNaive } from "./generate-naive.mjs";
import { tensorsOf, tokensOf, translations } from "./generate-rows.mjs";
import { summarize } from "./measure.mjs";

const openRuntime = async (repository, python, pythonCommand, models) => {
  const runtime = await startRuntime({
    repository,
    device: "cpu",
    python,
    pythonCommand,
    control: { kind: "explicit", load: models },
    tellPython: () => {},
    notice: (text) => {
      throw new Error(text);
    },
  });
  return async (model, rows, limits) => {
    const { outputs } = await runtime.infer({ model, id: "", inputs: tensorsOf(rows, limits) });
    return tokensOf(outputs.get("sequences"));
  };
};

const openTriton = (address) => {
  const client = grpcClient(address);
  return async (model, rows, limits) => {
    const outputs = await client.infer({ model, inputs: tensorsOf(rows, limits) });
    return tokensOf(outputs.get("sequences"));
  };
};

const openLoop = async (folder) => {
  const answer = await openNaive(folder);
  return async (_, rows, limits) => {
    const answers = [];
    for (const row of rows) answers.push(await answer(row, limits));
    return answers;
  };
};

const [way, place, python, ...models] = process.argv.slice(2);
const ways = {
  naive: openLoop,
  native: () => openRuntime(place, "twin", python, models),
  Python: () => openRuntime(place, "always", python, models),
  Triton: openTriton,
};
const generate = await ways[way](place);

/** Resident bytes of this process's children: the Python processes of models. */
const childrenMemory = () => {
  let sum = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${id}/status`, "utf8");
      if (Number(/^PPid:\s+(\d+)$/m.exec(status)[1]) !== process.pid) continue;
      sum += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
    } catch {
      // The process has ended.
    }
  }
  return sum;
};

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** @param requests Rows of `translations` by index, one request each; starts over after the last. */
const load = async ({ model, requests, limits, clients, seconds = Number.POSITIVE_INFINITY, count }) => {
  const took = [];
  let sent = 0;
  let tokens = 0;
  const begin = performance.now();
  const call = async () => {
    while (performance.now() - begin < seconds * 1000 && sent < (count ?? Number.POSITIVE_INFINITY)) {
      const rows = requests[sent++ % requests.length].map((index) => translations[index]);
      const start = performance.now();
      for (const { length } of await generate(model, rows, limits)) tokens += length;
      took.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: clients }, call));
  const passed = performance.now() - begin;
  return { p50: summarize(took).median, rate: (tokens * 1000) / passed };
};

/** Bytes: resident, of the children, and in use on the main thread's heap after garbage collection. */
const memory = () => {
  const resident = process.memoryUsage.rss();
  collectGarbage();
  return { resident, children: childrenMemory(), heap: process.memoryUsage().heapUsed };
};

/** The answers to all translations, one request each, one at a time. */
const answers = async ({ model, limits }) => {
  const all = [];
  for (const row of translations) all.push(...(await generate(model, [row], limits)));
  return all;
};

const asked = { load, answers, memory };
process.on("message", async (message) => process.send(await asked[message.kind](message)));
process.once("disconnect", () => process.exit(0));
process.send("ready");
