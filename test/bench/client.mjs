import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { createClient } from "@tritype/typed-client";
import { createGrpcClient } from "@tritype/typed-client/grpc";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { openBareGrpc } from "./bare-grpc.mjs";
import { openBareServer } from "./http-caller.mjs";
import { inTurn, rowsOf } from "./measure.mjs";

/**
 * The typed client's overhead compared with sending and receiving the same bytes; the servers answer with fixed bytes.
 */
export const client = async (runs = 40) => [
  await overhead("one text, 128 numbers back", textRequest(1, 128), runs),
  await overhead("64 texts, 64 × 384 numbers back", textRequest(64, 384), runs),
  await overhead("600 kB of numbers each way", numbersRequest(150_000), runs),
  await bundle(),
];

const textRequest = (rows, size) => ({
  ensemble: {
    name: "embed",
    inputs: { text: { dtype: "BYTES", dims: ["batch", 1] } },
    outputs: { embedding: { dtype: "FP32", dims: ["batch", size] } },
  },
  inputs: {
    text: Array.from(
      { length: rows },
      (_, row) => `a sentence about the number ${row}, neither long nor short`,
    ),
  },
  shape: [rows, size],
});

const numbersRequest = (count) => ({
  ensemble: {
    name: "embed",
    inputs: { x: { dtype: "FP32", dims: ["batch", count] } },
    outputs: { embedding: { dtype: "FP32", dims: ["batch", count] } },
  },
  inputs: { x: { data: new Float32Array(count).fill(0.5), shape: [1, count] } },
  shape: [1, count],
});

const overhead = async (title, { ensemble, inputs, shape }, runs) => {
  const data = Buffer.from(new Float32Array(shape[0] * shape[1]).fill(0.25).buffer);
  const json = Buffer.from(
    JSON.stringify({
      model_name: "embed",
      model_version: "1",
      outputs: [
        { name: "embedding", datatype: "FP32", shape, parameters: { binary_data_size: data.byteLength } },
      ],
    }),
  );
  const http = await openHttp(json, data);
  const grpc = await openGrpc(shape, data);
  let sent;
  const typed = createClient({
    url: http.url,
    ensemble,
    checkContract: false,
    fetch: (url, init) => {
      sent ??= { url, init };
      return fetch(url, init);
    },
  });
  await typed.infer(inputs);
  const { url, init } = sent;
  const plain = createClient({ url: http.url, ensemble, checkContract: false });
  const overGrpc = createGrpcClient({ address: grpc.address, ensemble, checkContract: false });
  await overGrpc.infer(inputs);
  const message = grpc.received();
  const bare = new Client(grpc.address, credentials.createInsecure(), {
    "grpc.max_send_message_length": -1,
    "grpc.max_receive_message_length": -1,
  });
  const same = (bytes) => bytes;
  const bareCall = () =>
    new Promise((resolve, reject) => {
      bare.makeUnaryRequest(
        "/inference.GRPCInferenceService/ModelInfer",
        same,
        same,
        message,
        new Metadata(),
        (error, answer) => (error === null ? resolve(answer) : reject(error)),
      );
    });
  try {
    const summaries = await inTurn(
      {
        "raw fetch": async () => {
          const response = await fetch(url, init);
          await response.arrayBuffer();
        },
        "typed client": () => plain.infer(inputs),
        "typed client with a deadline": () => plain.infer(inputs, { deadlineMs: 60_000 }),
      },
      { runs, block: 20 },
    );
    const grpcSummaries = await inTurn(
      { "raw @grpc/grpc-js": bareCall, "typed client, gRPC": () => overGrpc.infer(inputs) },
      { runs, block: 20 },
    );
    return {
      title,
      unit: "µs",
      rows: [...rowsOf(summaries, "raw fetch"), ...rowsOf(grpcSummaries, "raw @grpc/grpc-js")],
      notes: [
        `ratios of the first three rows to raw fetch, of the last two to raw @grpc/grpc-js; the server returns the same bytes to all`,
      ],
    };
  } finally {
    overGrpc.close();
    bare.close();
    http.close();
    grpc.close();
  }
};

const openHttp = (json, data) =>
  openBareServer(Buffer.concat([json, data]), async () => undefined, {
    "Inference-Header-Content-Length": String(json.byteLength),
  });

/** A server that always returns the same message; `received` is the last request. */
const openGrpc = async (shape, data) => {
  const { grpcMethod } = await import("@tritype/protocol");
  const answer = Buffer.from(
    grpcMethod("ModelInfer").response.encode({
      model_name: "embed",
      outputs: [{ name: "embedding", datatype: "FP32", shape }],
      raw_output_contents: [data],
    }),
  );
  let last;
  const server = await openBareGrpc((request) => {
    last = request;
    return answer;
  });
  return { ...server, received: () => last };
};

/** The size of the code that a page loads. */
const bundle = async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export * from "tritype/client";',
      resolveDir: fileURLToPath(new URL("..", import.meta.url)),
    },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
  });
  const bytes = outputFiles[0].contents;
  return {
    title: "tritype/client in a page",
    rows: [],
    notes: [`minified ${bytes.byteLength} bytes, gzipped ${gzipSync(bytes).byteLength} bytes`],
  };
};
