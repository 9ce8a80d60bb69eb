import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { grpcClient, httpClient } from "@tritype/client";
import { encodeUtf8, tensorOf } from "@tritype/core";
import { installTriton, serveTriton } from "@tritype/tritonserver";
import { inTurn, rowsOf } from "./measure.mjs";
import { copyExample, pipelineBin } from "./projects.mjs";
import { buildRepository } from "./repository.mjs";
import { sentences } from "./texts.mjs";

const cache = fileURLToPath(new URL("../../.cache", import.meta.url));

/**
 * The same requests to `pipeline dev` and to a real Triton, each server in a separate process, one request at a time.
 */
export const triton = async (runs = 20) => {
  const project = copyExample();
  const resources = [() => project.remove()];
  try {
    const repository = buildRepository(project);
    const local = await startLocal(repository);
    resources.push(local.stop);
    const server = await serveTriton(await installTriton({ cache, notice: console.error }), { repository });
    resources.push(() => server.stop());
    await server.waitReady();
    const clients = {
      "pipeline dev, HTTP": httpClient(local.url),
      "Triton, HTTP": httpClient(server.httpUrl),
      "Triton, gRPC": grpcClient(server.grpcAddress),
    };
    resources.push(() => Promise.all(Object.values(clients).map((client) => client.close())));
    const sections = [];
    for (const { title, call } of calls()) {
      const variants = Object.entries(clients).map(([name, client]) => [name, () => client.infer(call)]);
      const summaries = await inTurn(Object.fromEntries(variants), { runs, warmup: 10, block: 10 });
      sections.push({ title, unit: "µs", rows: rowsOf(summaries, "pipeline dev, HTTP"), notes });
    }
    return sections;
  } finally {
    for (const close of resources.toReversed()) await close();
  }
};

const notes = [
  "Triton runs ONNX models on a Python stand-in for its ONNX Runtime backend, and the tokenizer as emitted Python; with the C++ backend it is faster",
];

const calls = () => {
  const text = (rows) =>
    new Map([["text", { dtype: "BYTES", shape: [rows, 1], data: sentences(rows).map(encodeUtf8) }]]);
  return [
    { title: "embed, 1 text", call: { model: "embed", inputs: text(1) } },
    { title: "embed, 16 texts", call: { model: "embed", inputs: text(16) } },
    {
      title: "identity, 64 B",
      call: {
        model: "identity_small",
        inputs: new Map([["x", tensorOf("FP32", [1, 16], Array(16).fill(1))]]),
      },
    },
  ];
};

const startLocal = async (repository) => {
  const child = spawn(
    process.execPath,
    [pipelineBin, "dev", repository, "--http-port", "0", "--device", "cpu"],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) {
      child.stderr.resume();
      return {
        url,
        stop: async () => {
          child.kill("SIGINT");
          await once(child, "exit");
        },
      };
    }
  }
  throw new Error(`pipeline dev ended with ${child.exitCode}`);
};
