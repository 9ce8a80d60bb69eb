import { join } from "node:path";
import { counted, encodeUtf8, tensorOf } from "@tritype/core";
import { grpcInferRequest, grpcMethod, printInferRequest } from "@tritype/protocol";
import { Tokenizer } from "tokenizers";
import { summarize } from "./measure.mjs";
import { copyExample, demandMinilm } from "./projects.mjs";
import { buildRepository } from "./repository.mjs";
import { startChild } from "./serving-child.mjs";
import { sentences } from "./texts.mjs";

const clientCounts = [1, 4, 16, 64];
const batches = [1, 4, 8, 16, 32, 64];
/** The example's tokenizer pads to multiples of this, up to its longest text. */
const paddedTo = 16;
const longest = 256;

/** The server under load: the embedding ensemble on the full MiniLM against bare `session.run`, a no-op model against bare echoes. */
export const load = async (runs = 3) => {
  demandMinilm();
  process.env.ENCODER = "minilm";
  const project = copyExample();
  const children = [];
  const start = async (file, args) => {
    const child = await startChild(file, args);
    children.push(child);
    return child;
  };
  try {
    const repository = buildRepository(project);
    const bench = {
      runs,
      raw: await start("raw-best.mjs", [join(repository, "encoder", "1", "model.onnx")]),
      runtime: await start("load-server.mjs", ["runtime", repository]),
      echo: await start("load-server.mjs", ["echo"]),
      caller: await start("load-caller.mjs", []),
      tokenizer: Tokenizer.fromFile(join(repository, "tokenize", "1", "tokenizer.json")),
    };
    return [...(await embedSections(bench)), ...(await noOpSections(bench)), await memorySection(bench)];
  } finally {
    delete process.env.ENCODER;
    for (const child of children) child.stop();
    project.remove();
  }
};

const embedSections = async (bench) => {
  const sections = [];
  for (const [title, texts] of Object.entries(await textsOf(bench.tokenizer)))
    sections.push(await embedSection(bench, title, texts));
  return sections;
};

/** Texts of one padded length, and of many lengths. */
const textsOf = async (tokenizer) => {
  tokenizer.disablePadding();
  const known = sentences(2000);
  const withLengths = async (texts) => {
    const encodings = await tokenizer.encodeBatch(texts, { addSpecialTokens: true });
    return encodings.map((encoding, i) => ({ text: texts[i], length: padded(encoding.getLength()) }));
  };
  const joined = Array.from({ length: 64 }, (_, i) =>
    known.slice(i * 12, i * 12 + (i % 4 === 3 ? 12 : 1 + (i % 4))).join(". "),
  );
  const short = (await withLengths(known)).filter(({ length }) => length === paddedTo);
  return { "short texts": short.slice(0, 64), "texts of mixed length": await withLengths(joined) };
};

const padded = (length) => Math.min(longest, Math.ceil(length / paddedTo) * paddedTo);

const embedSection = async (bench, title, texts) => {
  const lengths = new Map();
  for (const { length } of texts) lengths.set(length, (lengths.get(length) ?? 0) + 1);
  const inputs = texts.map(
    ({ text }) => new Map([["text", { dtype: "BYTES", shape: [1, 1], data: [encodeUtf8(text)] }]]),
  );
  const samples = new Map();
  const best = [];
  for (let round = 0; round < bench.runs; round++) {
    best.push(await bestRate(bench.raw, lengths));
    for (const clients of clientCounts)
      for (const protocol of ["http", "grpc"]) {
        const loaded = await sendLoad(bench, bench.runtime, { protocol, clients, model: "embed", inputs });
        collect(samples, `${counted(clients, "client")}, ${protocol}`, {
          ...loaded,
          ratio: loaded.rate / best.at(-1),
        });
      }
  }
  return {
    title: `embed, full MiniLM, ${title}`,
    rows: rowsFrom(samples, "of raw"),
    notes: [
      `raw session.run of the encoder at its best batch: ${Math.round(summarize(best).median)} texts/s (padded lengths ${[...lengths.keys()].toSorted((a, b) => a - b).join(", ")})`,
      "times are the median of one request; delay: the server's event loop, 99th percentile, ms",
    ],
    checks: [
      barOf(samples, "16 clients, http", 0.65),
      ...["http", "grpc"].map((protocol) => delayBar(samples, `64 clients, ${protocol}`)),
    ].filter(({ what }) => title === "short texts" || !what.includes("rate of raw")),
  };
};

/** Texts per second of `session.run` alone, with each length at its own best batch size. */
const bestRate = async ({ ask }, lengths) => {
  let seconds = 0;
  let count = 0;
  for (const [length, texts] of lengths) {
    const rates = await ask({ batches, length, seconds: 0.7 });
    seconds += texts / Math.max(...rates.map(([, rate]) => rate));
    count += texts;
  }
  return count / seconds;
};

const noOpSections = async (bench) => {
  const inputs = [new Map([["x", tensorOf("FP32", [1, 16], Array(16).fill(0.5))]])];
  const samples = new Map();
  for (let round = 0; round < bench.runs; round++)
    for (const protocol of ["http", "grpc"])
      for (const clients of [1, 16]) {
        const call = { protocol, clients, model: "identity_small", inputs };
        const echo = await sendLoad(bench, bench.echo, call);
        const served = await sendLoad(bench, bench.runtime, call);
        const name = `${counted(clients, "client")}, ${protocol}`;
        collect(samples, name, { ...served, ratio: served.rate / echo.rate });
        collect(samples, `${name}: echo`, { ...echo, ratio: 1 });
      }
  return [
    {
      title: "a model that does nothing, 64 B",
      rows: rowsFrom(samples, "of echo"),
      notes: ["echo: node:http and @grpc/grpc-js returning the bytes that they receive"],
      checks: [barOf(samples, "16 clients, http", 0.5), barOf(samples, "16 clients, grpc", 0.5)],
    },
  ];
};

const memorySection = async (bench) => {
  const inputs = [new Map([["x", tensorOf("FP32", [1, 16], Array(16).fill(0.5))]])];
  const sizes = [];
  for (let part = 0; part <= 5; part++) {
    const call = { protocol: "http", clients: 16, model: "identity_small", inputs };
    const { rss } = await sendLoad(bench, bench.runtime, call, { seconds: 600, count: 20_000 });
    sizes.push(Math.round(rss / 2 ** 20));
  }
  const [first, ...rest] = sizes;
  const grown = Math.max(...rest) / first;
  return {
    title: "memory over 100,000 requests",
    rows: [],
    notes: [`resident MB after 20,000 requests, and after each 20,000 more: ${sizes.join(", ")}`],
    checks: [
      { what: "largest over the first", value: grown.toFixed(2), limit: "at most 1.1", ok: grown <= 1.1 },
    ],
  };
};

/** One load of `seconds`, after a short warm-up; the figures measured by the caller and by the server. */
const sendLoad = async (
  { caller },
  server,
  { protocol, clients, model, inputs },
  limits = { seconds: 3 },
) => {
  const message = {
    protocol,
    target: protocol === "http" ? server.places.url : server.places.address,
    bodies: inputs.map((one) => bodies[protocol](model, one).toString("base64")),
    clients,
  };
  await caller.ask({ ...message, seconds: 0.5 });
  const before = await server.ask("sample");
  const made = await caller.ask({ ...message, ...limits });
  const { rss, cpu, delay } = await server.ask("sample");
  return { ...made, rss, delay, cpu: (cpu - before.cpu) / made.requests };
};

const httpBody = (model, inputs, binary) => {
  const { contentType, headers, body } = printInferRequest({ inputs }, { binary });
  const lines = [
    `POST /v2/models/${model}/infer HTTP/1.1`,
    "Host: localhost",
    `Content-Type: ${contentType}`,
    `Content-Length: ${body.byteLength}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
};

/** A whole request as bytes: over HTTP with binary tensors or as JSON, or over gRPC. */
export const bodies = {
  http: (model, inputs) => httpBody(model, inputs, true),
  json: (model, inputs) => httpBody(model, inputs, false),
  grpc: (model, inputs) => {
    const message = grpcMethod("ModelInfer").request.encode(grpcInferRequest({ model, id: "", inputs }));
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.byteLength, 1);
    return Buffer.concat([prefix, message]);
  },
};

const collect = (samples, name, sample) => samples.set(name, [...(samples.get(name) ?? []), sample]);

const medianOf = (samples, key) => summarize(samples.map((sample) => sample[key])).median;

const rowsFrom = (samples, ratio) =>
  [...samples].map(([name, all]) => ({
    name,
    ...summarize(all.map(({ p50 }) => p50)),
    extra: {
      "p99 ms": medianOf(all, "p99").toFixed(1),
      "requests/s": Math.round(medianOf(all, "rate")),
      [ratio]: medianOf(all, "ratio").toFixed(2),
      "cpu ms": medianOf(all, "cpu").toFixed(2),
      delay: medianOf(all, "delay").toFixed(1),
    },
  }));

const barOf = (samples, name, limit) => {
  const value = medianOf(samples.get(name), "ratio");
  return {
    what: `${name}, rate of raw`,
    value: value.toFixed(2),
    limit: `at least ${limit}`,
    ok: value >= limit,
  };
};

const delayBar = (samples, name) => {
  const value = medianOf(samples.get(name), "delay");
  return {
    what: `${name}, event-loop delay p99`,
    value: `${value.toFixed(1)} ms`,
    limit: "under 20 ms",
    ok: value < 20,
  };
};
