import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { grpcClient, httpClient } from "@tritype/client";
import { counted, encodeUtf8, tensorOf } from "@tritype/core";
import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { bodies } from "./load.mjs";
import { inTurn, rowsOf, summarize } from "./measure.mjs";
import { onnxBackendNote } from "./onnx-backend.mjs";
import { copyExample, demandMinilm, pipelineBin } from "./projects.mjs";
import { buildRepository } from "./repository.mjs";
import { startChild } from "./serving-child.mjs";
import { sentences } from "./texts.mjs";

/**
 * The same requests to `pipeline dev` and to a real Triton, each server in a separate process: one request at a time with
 * Tritype's client, then several clients at once. `ENCODER=minilm` uses the example's full encoder.
 * @param only Part of the title of the sections to measure; default: all.
 */
export const triton = async (runs = 20, only = "") => {
  if (process.env.ENCODER === "minilm") demandMinilm();
  const project = copyExample();
  const resources = [() => project.remove()];
  try {
    const repository = buildRepository(project);
    addNoOp(repository);
    const installation = await installTriton({ cache: cacheFolder(process.env), notice: console.error });
    const notes = [onnxBackendNote(installation)];
    const local = await startLocal(repository, installation.python);
    resources.push(local.stop);
    const server = await serveTriton(installation, { repository });
    resources.push(() => server.stop());
    await server.waitReady();
    const clients = {
      "pipeline dev, HTTP": httpClient(local.url),
      "Triton, HTTP": httpClient(server.httpUrl),
      "Triton, gRPC": grpcClient(server.grpcAddress),
    };
    resources.push(() => Promise.all(Object.values(clients).map((client) => client.close())));
    const sections = [];
    for (const { title, call } of calls().filter(({ title }) => title.includes(only))) {
      const variants = Object.entries(clients).map(([name, client]) => [name, () => client.infer(call)]);
      // V8 compiles most of the local runtime's code during the first thousand requests.
      const summaries = await inTurn(Object.fromEntries(variants), { runs, warmup: 150, block: 10 });
      sections.push({ title, unit: "µs", rows: rowsOf(summaries, "pipeline dev, HTTP"), notes });
    }
    const caller = await startChild("load-caller.mjs", []);
    resources.push(caller.stop);
    const places = {
      dev: { http: local.url, grpc: local.address },
      triton: { http: server.httpUrl, grpc: server.grpcAddress },
    };
    for (const one of loads().filter(({ title }) => title.includes(only)))
      sections.push(await loadSection(one, { caller, places, notes, runs: Math.ceil(runs / 5) }));
    return sections;
  } finally {
    for (const close of resources.toReversed()) await close();
  }
};

/** Adds the model `noop` to a repository: hand-written Python that returns its input. */
const addNoOp = (repository) => {
  mkdirSync(join(repository, "noop", "1"), { recursive: true });
  writeFileSync(join(repository, "noop", "config.pbtxt"), noOpConfig);
  writeFileSync(join(repository, "noop", "1", "model.py"), noOpModel);
};

const noOpConfig = `name: "noop"
backend: "python"
max_batch_size: 8
input [ { name: "x" data_type: TYPE_FP32 dims: [ 16 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 16 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]
`;
const noOpModel = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse(
                [pb_utils.Tensor("y", pb_utils.get_input_tensor_by_name(request, "x").as_numpy())]
            )
            for request in requests
        ]
`;

const textOf = (texts) =>
  new Map([["text", { dtype: "BYTES", shape: [texts.length, 1], data: texts.map(encodeUtf8) }]]);
const numbers = () => new Map([["x", tensorOf("FP32", [1, 16], Array(16).fill(1))]]);

/** Each load, and the least rates of `pipeline dev` relative to Triton's, by number of clients. */
const loads = () => {
  const known = sentences(64);
  const mixed = known.map((text, index) => (index % 4 === 3 ? Array(6).fill(text).join(". ") : text));
  const ofText = { 1: 0.95, 4: 1, 16: 1, 64: 1 };
  const ofNoOp = { 1: 0.7, 16: 0.6 };
  return [
    {
      title: "embed, short texts",
      model: "embed",
      inputs: known.map((text) => textOf([text])),
      least: ofText,
    },
    {
      title: "embed, texts of mixed length",
      model: "embed",
      inputs: mixed.map((text) => textOf([text])),
      least: ofText,
    },
    { title: "Python that returns its input, 64 B", model: "noop", inputs: [numbers()], least: ofNoOp },
    { title: "identity, 64 B", model: "identity_small", inputs: [numbers()], least: ofNoOp },
  ];
};

const protocols = ["json", "http", "grpc"];
const secondsOfLoad = 1.5;

/** Requests per second of both servers in turn; the order changes with every round. */
const loadSection = async ({ title, model, inputs, least }, { caller, places, notes, runs }) => {
  const cells = Object.keys(least).flatMap((clients) =>
    protocols.map((protocol) => ({
      clients: Number(clients),
      protocol,
      rates: { dev: [], triton: [] },
      ratios: [],
    })),
  );
  for (let round = 0; round <= runs; round++)
    for (const { clients, protocol, rates, ratios } of cells) {
      const ask = async (server, seconds) => {
        const { rate } = await caller.ask({
          protocol: protocol === "grpc" ? "grpc" : "http",
          target: places[server][protocol === "grpc" ? "grpc" : "http"],
          bodies: inputs.map((one) => bodies[protocol](model, one).toString("base64")),
          clients,
          seconds,
        });
        return rate;
      };
      const measured = {};
      for (const server of round % 2 === 0 ? ["dev", "triton"] : ["triton", "dev"])
        measured[server] = await ask(server, secondsOfLoad);
      // In the first round, V8 compiles.
      if (round === 0) continue;
      for (const [server, rate] of Object.entries(measured)) rates[server].push(rate);
      ratios.push(measured.dev / measured.triton);
    }
  return {
    title: `${title}, several clients`,
    rows: cells.map(({ clients, protocol, rates, ratios }) => ({
      name: `${counted(clients, "client")}, ${protocol}`,
      ...summarize(rates.dev.map((rate) => (1000 / rate) * clients)),
      extra: {
        "dev/s": Math.round(summarize(rates.dev).median),
        "Triton/s": Math.round(summarize(rates.triton).median),
        "dev of Triton": summarize(ratios).median.toFixed(2),
      },
    })),
    notes,
    checks: cells.map(({ clients, protocol, ratios }) => {
      const value = summarize(ratios).median;
      return {
        what: `${counted(clients, "client")}, ${protocol}`,
        value: value.toFixed(2),
        limit: `at least ${least[clients]} of Triton's rate`,
        ok: value >= least[clients],
      };
    }),
  };
};

const calls = () => {
  const text = (rows) => textOf(sentences(rows));
  return [
    { title: "embed, 1 text", call: { model: "embed", inputs: text(1) } },
    { title: "embed, 16 texts", call: { model: "embed", inputs: text(16) } },
    { title: "identity, 64 B", call: { model: "identity_small", inputs: numbers() } },
  ];
};

const startLocal = async (repository, python) => {
  const child = spawn(
    process.execPath,
    [pipelineBin, "dev", repository, "--http-port", "0", "--device", "cpu"],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...(python === undefined ? {} : { TRITYPE_PYTHON: python }) },
    },
  );
  let url;
  for await (const line of createInterface({ input: child.stderr })) {
    url ??= / at (http:\/\/\S+)/.exec(line)?.[1];
    const address = /gRPC at (\S+?),/.exec(line)?.[1];
    if (url === undefined || address === undefined) continue;
    child.stderr.resume();
    return {
      url,
      address,
      stop: async () => {
        child.kill("SIGINT");
        await once(child, "exit");
      },
    };
  }
  throw new Error(`pipeline dev ended with ${child.exitCode}`);
};
