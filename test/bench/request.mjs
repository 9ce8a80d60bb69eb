import { join } from "node:path";
import { elementCount, encodeUtf8, tensorOf } from "@tritype/core";
import { printInferRequest } from "@tritype/protocol";
import { startRuntime } from "@tritype/runtime";
import { serveHttp } from "@tritype/server";
import { openBareServer, openCaller } from "./http-caller.mjs";
import { inTurn, rowsOf } from "./measure.mjs";
import { copyExample } from "./projects.mjs";
import { openHere, openInWorker } from "./raw-session.mjs";
import { buildRepository, identities } from "./repository.mjs";
import { openRawEmbed } from "./raw-embed.mjs";
import { sentences } from "./texts.mjs";

/** One request at a time through the runtime and over HTTP, compared with ONNX Runtime and the tokenizer alone. */
export const request = async (runs = 30) => {
  const project = copyExample();
  const resources = [() => project.remove()];
  try {
    const repository = buildRepository(project);
    const runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice: console.error });
    resources.push(() => runtime.close());
    const server = await serveHttp(runtime, { port: 0 });
    resources.push(() => server.close());
    const caller = openCaller(server.url);
    resources.push(() => caller.close());
    const bench = { runtime, caller, repository, runs };
    const sections = [];
    for (const { title, model, inputs, block } of modelRequests())
      sections.push(await measureModel(bench, title, model, inputs, block));
    for (const rows of [1, 16]) sections.push(await measureEmbed(bench, rows));
    return sections;
  } finally {
    for (const close of resources.toReversed()) await close();
  }
};

const modelRequests = () => {
  const floats = (name) => [
    ["x", tensorOf("FP32", [1, identities[name]], Array.from({ length: identities[name] }, Math.random))],
  ];
  const ids = (value) => tensorOf("INT64", [1, 16], Array.from({ length: 16 }, value));
  return [
    {
      title: "identity, 64 B",
      model: "identity_small",
      inputs: new Map(floats("identity_small")),
      block: 20,
    },
    {
      title: "identity, 600 kB",
      model: "identity_600kb",
      inputs: new Map(floats("identity_600kb")),
      block: 3,
    },
    {
      title: "the example's encoder, 16 tokens",
      model: "encoder",
      inputs: new Map([
        ["input_ids", ids((_, i) => 1000 + i)],
        ["attention_mask", ids(() => 1)],
        ["token_type_ids", ids(() => 0)],
      ]),
      block: 10,
    },
  ];
};

const arrays = { FP32: ["float32", Float32Array], INT64: ["int64", BigInt64Array] };

const measureModel = async (bench, title, model, inputs, block) => {
  const file = join(bench.repository, model, "1", "model.onnx");
  const [here, worker] = [await openHere(file), await openInWorker(file)];
  const feeds = Object.fromEntries(
    [...inputs].map(([name, { dtype, shape, data }]) => {
      const [type, View] = arrays[dtype];
      return [name, [type, new View(data.buffer, data.byteOffset, elementCount(shape)), shape]];
    }),
  );
  const raw = {
    "session.run, main thread": () => here.run(feeds),
    "session.run, worker": () => worker.run(feeds),
  };
  try {
    return await measure(bench, title, { model, inputs }, raw, "session.run, worker", block);
  } finally {
    await here.close();
    await worker.close();
  }
};

const measureEmbed = async (bench, rows) => {
  const texts = sentences(rows);
  const inputs = new Map([["text", { dtype: "BYTES", shape: [rows, 1], data: texts.map(encodeUtf8) }]]);
  const [here, worker] = [
    await openRawEmbed(bench.repository, openHere),
    await openRawEmbed(bench.repository, openInWorker),
  ];
  const raw = {
    "tokenizers + 2 × session.run, main thread": () => here.run(texts),
    "tokenizers + 2 × session.run, workers": () => worker.run(texts),
  };
  const baseline = "tokenizers + 2 × session.run, workers";
  const title = `the ensemble embed, ${rows} ${rows === 1 ? "text" : "texts"}`;
  try {
    return await measure(bench, title, { model: "embed", inputs }, raw, baseline, 10);
  } finally {
    await here.close();
    await worker.close();
  }
};

const measure = async ({ runtime, caller, runs }, title, { model, inputs }, raw, baseline, block) => {
  const path = `/v2/models/${model}/infer`;
  const binary = printInferRequest({ inputs }, { binary: true });
  const json = printInferRequest({ inputs }, { binary: false });
  const { body } = await caller.post(path, binary);
  const bare = await openBareServer(body, raw[baseline]);
  const bareCaller = openCaller(bare.url);
  try {
    const summaries = await inTurn(
      {
        ...raw,
        "runtime.infer": () => runtime.infer({ model, id: "", inputs }),
        "HTTP, binary": () => caller.post(path, binary),
        "bare node:http around the baseline": () => bareCaller.post("/", binary),
      },
      { runs, warmup: Math.ceil(300 / block), block },
    );
    // Has a separate turn, because JSON of large tensors leaves garbage that would slow down the following calls.
    const withJson = await inTurn(
      { [baseline]: raw[baseline], "HTTP, JSON": () => caller.post(path, json) },
      { runs, warmup: 2, block },
    );
    summaries.set("HTTP, JSON", withJson.get("HTTP, JSON"));
    return { title, unit: "µs", rows: rowsOf(summaries, baseline) };
  } finally {
    bareCaller.close();
    bare.close();
  }
};
