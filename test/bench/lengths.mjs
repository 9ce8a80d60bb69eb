import { join } from "node:path";
import { encodeUtf8 } from "@tritype/core";
import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { Tokenizer } from "tokenizers";
import { bodies } from "./load.mjs";
import { onnxBackendNote } from "./onnx-backend.mjs";
import { summarize } from "./measure.mjs";
import { copyExample, demandMinilm } from "./projects.mjs";
import { buildRepository } from "./repository.mjs";
import { startChild } from "./serving-child.mjs";
import { sentences } from "./texts.mjs";

const buckets = [16, 32, 64, 128, 256];

/**
 * The example on the full MiniLM: padded to buckets, so that Triton's own batcher finds equal lengths; and
 * batched by length.
 */
const variants = {
  buckets: (text) =>
    text.replace("padding: { multipleOf: 16 }", `padding: { buckets: [${buckets.join(", ")}] }`),
  length: (text) =>
    text
      .replace("padding: { multipleOf: 16 }", 'padding: "longest"')
      .replace("  run(", '  batchBy: "length",\n  run('),
};
const loads = [
  { texts: "short", clients: 16 },
  { texts: "mixed", clients: 16 },
  { texts: "long", clients: 16 },
  { texts: "short", clients: 1 },
  { texts: "mixed", clients: 1 },
];

/** Effect of batching by length: texts per second, the encoder's average batch, padding. */
export const lengths = async (runs = 1) => {
  demandMinilm();
  process.env.ENCODER = "minilm";
  const closing = [];
  try {
    const caller = await startChild("load-caller.mjs", []);
    closing.push(caller.stop);
    const installation = await installTriton({ cache: cacheFolder(), notice: console.error });
    const repositories = {};
    for (const [variant, edit] of Object.entries(variants)) {
      const project = copyExample(edit);
      closing.push(project.remove);
      repositories[variant] = buildRepository(project);
    }
    const texts = await textsOf(repositories.buckets);
    const sections = [];
    for (const server of ["local runtime", "Triton"]) {
      const samples = new Map();
      for (let round = 0; round < runs; round++)
        for (const [variant, repository] of Object.entries(repositories)) {
          const served = await serve(server, repository, installation);
          try {
            for (const load of loads) {
              const name = `${load.texts} texts, ${load.clients} ${load.clients === 1 ? "client" : "clients"}: ${variant}`;
              const made = await sendLoad(caller, served, load.clients, texts[load.texts], variant);
              samples.set(name, [...(samples.get(name) ?? []), made]);
            }
          } finally {
            await served.stop();
          }
        }
      sections.push({
        title: `batchBy, full MiniLM, ${server}`,
        rows: rowsFrom(samples),
        notes: [...notes, onnxBackendNote(installation)],
      });
    }
    return sections;
  } finally {
    delete process.env.ENCODER;
    for (const close of closing.toReversed()) await close();
  }
};

const notes = [
  "median: time of one request. batch: rows per execution of the encoder. padding: share of padding in the encoder's tokens; the collate step counts it, and without that step each row is padded to its bucket",
];

/** 64 texts each: all in the bucket of 16, all in the bucket of 256, and in all buckets. */
const textsOf = async (repository) => {
  const tokenizer = Tokenizer.fromFile(join(repository, "tokenize", "1", "tokenizer.json"));
  tokenizer.disablePadding();
  tokenizer.disableTruncation();
  const known = sentences(2000);
  const lengthOf = async (text) => Math.min(256, (await tokenizer.encode(text)).getLength());
  const joined = (size) => (_, i) => known.slice(i * 12, i * 12 + size(i)).join(". ");
  const withLengths = async (texts) =>
    Promise.all(texts.map(async (text) => ({ text, length: await lengthOf(text) })));
  const short = (await withLengths(known)).filter(({ length }) => length <= 16).slice(0, 64);
  const mixed = Array.from(
    { length: 64 },
    joined((i) => (i % 4 === 3 ? 12 : 1 + (i % 4))),
  );
  const long = Array.from(
    { length: 64 },
    joined(() => 14),
  );
  return { short, mixed: await withLengths(mixed), long: await withLengths(long) };
};

const serve = async (server, repository, installation) => {
  if (server === "local runtime") {
    const child = await startChild("load-server.mjs", ["runtime", repository]);
    return { url: child.places.url, sample: () => child.ask("sample"), stop: async () => child.stop() };
  }
  const triton = await serveTriton(installation, { repository });
  await triton.waitReady();
  return { url: triton.httpUrl, sample: async () => ({}), stop: () => triton.stop() };
};

const sendLoad = async (caller, { url, sample }, clients, texts, variant) => {
  const message = {
    protocol: "http",
    target: url,
    bodies: texts.map(({ text }) =>
      bodies
        .http("embed", new Map([["text", { dtype: "BYTES", shape: [1, 1], data: [encodeUtf8(text)] }]]))
        .toString("base64"),
    ),
    clients,
  };
  await caller.ask({ ...message, seconds: 0.7 });
  const before = await encoderCounts(url);
  await sample();
  const made = await caller.ask({ ...message, seconds: 2.5 });
  const { tokens } = await sample();
  const after = await encoderCounts(url);
  return {
    ...made,
    batch: (after.rows - before.rows) / (after.executions - before.executions),
    padding: variant === "buckets" ? bucketWaste(texts) : tokens && 1 - tokens.text / tokens.all,
  };
};

const encoderCounts = async (url) => {
  const answer = await fetch(`${url}/v2/models/encoder/stats`);
  const [model] = (await answer.json()).model_stats;
  return { rows: Number(model.inference_count), executions: Number(model.execution_count) };
};

const bucketWaste = (texts) => {
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const padded = texts.map(({ length }) => buckets.find((size) => size >= length));
  return 1 - sum(texts.map(({ length }) => length)) / sum(padded);
};

const rowsFrom = (samples) =>
  [...samples].map(([name, all]) => {
    const of = (key) => summarize(all.map((one) => one[key])).median;
    return {
      name,
      ...summarize(all.map(({ p50 }) => p50)),
      extra: {
        "p99 ms": of("p99").toFixed(1),
        "texts/s": Math.round(of("rate")),
        batch: of("batch").toFixed(2),
        padding: all[0].padding === undefined ? "" : `${Math.round(of("padding") * 100)} %`,
      },
    };
  });
