// A server in a separate process, the target of a load. Arguments: the kind and, for "runtime", the repository.
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { startRuntime } from "@tritype/runtime";
import { serveGrpc, serveHttp } from "@tritype/server";
import { openBareGrpc } from "./bare-grpc.mjs";

const delay = monitorEventLoopDelay({ resolution: 5 });

/** Tokens that the encoder has received: all of them, and those that are not padding. */
const tokens = { all: 0, text: 0 };
const countTokens = ({ inputs }) => {
  const mask = inputs.get("attention_mask");
  if (mask === undefined) return;
  const flags = new BigInt64Array(mask.data.buffer, mask.data.byteOffset, mask.data.byteLength / 8);
  tokens.all += flags.length;
  for (const flag of flags) tokens.text += Number(flag);
};

const serveRuntime = async (repository) => {
  const runtime = await startRuntime({
    repository,
    device: "cpu",
    python: "twin",
    notice: console.error,
    onModelCall: countTokens,
  });
  const http = await serveHttp(runtime, { port: 0 });
  const grpc = await serveGrpc(runtime, { port: 0 });
  return { url: http.url, address: grpc.address };
};

/** Echoes requests: the cost of node:http and grpc-js alone. */
const serveEcho = async () => {
  const http = createServer((incoming, response) => {
    const chunks = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.once("end", () => {
      const body = Buffer.concat(chunks);
      response.writeHead(200, {
        "Content-Type": "application/octet-stream",
        "Inference-Header-Content-Length": incoming.headers["inference-header-content-length"] ?? "0",
        "Content-Length": body.byteLength,
      });
      response.end(body);
    });
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  const grpc = await openBareGrpc((request) => request);
  return { url: `http://127.0.0.1:${http.address().port}`, address: grpc.address };
};

const [kind, repository] = process.argv.slice(2);
const places = kind === "echo" ? await serveEcho() : await serveRuntime(repository);
delay.enable();

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send({
    rss: process.memoryUsage.rss(),
    cpu: (user + system) / 1000,
    delay: delay.percentile(99) / 1e6 - 5,
    tokens: { ...tokens },
  });
  tokens.all = tokens.text = 0;
  delay.reset();
});
process.once("disconnect", () => process.exit(0));
process.send(places);
