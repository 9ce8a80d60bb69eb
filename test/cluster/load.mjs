// Sends requests from the cluster's network until standard input is closed, then prints how they ended, as JSON. For each line of
// standard input, prints how many each kind of client has sent.
//   node load.mjs <address> <client module> <numbers of clients and pause of typed clients, as JSON>
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import { httpTarget, machineClock, runLoad } from "@tritype/load-test";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { createGrpcClient } from "@tritype/typed-client/grpc";

const [address, clientModule, options] = process.argv.slice(2);
const { clients, pauseMs } = JSON.parse(options);
const http = `http://${address}:8000`;
const grpc = `${address}:8001`;
const texts = ["A man is eating food.", "what people write into a search", "a text that goes on ".repeat(20)];

const { embedClient, embedContract } = await import(clientModule);
const over = new AbortController();
const sent = Object.fromEntries(Object.keys(clients).map((kind) => [kind, 0]));
process.stdin.on("data", () => console.log(JSON.stringify(sent))).once("end", () => over.abort());

/** The build's own clients, one connection each. The norm of a vector shows which build has answered. */
const typed = (clientOf) => async (kind) => {
  const result = { answered: 0, failures: [], lengths: {} };
  const one = async (_, index) => {
    const client = clientOf();
    for (let next = index; !over.signal.aborted; next++) {
      sent[kind]++;
      try {
        const { embedding } = await client.infer(
          { text: [texts[next % texts.length]] },
          { deadlineMs: 20_000 },
        );
        const length = Math.sqrt(embedding.data.reduce((sum, value) => sum + value * value, 0)).toFixed(1);
        result.lengths[length] = (result.lengths[length] ?? 0) + 1;
        result.answered++;
      } catch (error) {
        result.failures.push(`${error.kind} ${error.status ?? ""}: ${error.message}`);
      }
      if (pauseMs > 0) await sleep(pauseMs);
    }
    client.close?.();
  };
  await Promise.all(Array.from({ length: clients[kind] }, one));
  return { ...result, failed: result.failures.length };
};

/** Clients that never repeat a request, like plain HTTP and gRPC libraries. */
const plain = (target) => async (kind) => {
  const { latencies, failures } = await runLoad({
    load: { kind: "closed", clients: clients[kind] },
    target: counted(target, kind),
    clock: machineClock,
    warmMs: 0,
    measureMs: 3_600_000,
    drainMs: 30_000,
    seed: 1,
    signal: over.signal,
  });
  return {
    answered: latencies.length,
    failures: failures.map(({ count, status, message }) => `${count} × ${status}: ${message}`),
    failed: failures.reduce((sum, { count }) => sum + count, 0),
  };
};

/** The same target, whose requests are counted. */
const counted = ({ requests, open }, kind) => ({
  requests,
  open: () => {
    const { send, close } = open();
    return {
      send: (index) => {
        sent[kind]++;
        return send(index);
      },
      close,
    };
  },
});

/** A client of the official gRPC library, without a policy for retries. */
const libraryTarget = (where, { model, requests }) => {
  const { path, request } = grpcMethod("ModelInfer");
  const bytes = (message) => Buffer.from(message);
  const messages = requests.map((one) => request.encode(grpcInferRequest({ model, id: "", ...one })));
  return {
    requests: messages.length,
    open: () => {
      const client = new Client(where, credentials.createInsecure());
      return {
        send: (index) =>
          new Promise((resolve) => {
            const deadline = Date.now() + 20_000;
            client.makeUnaryRequest(path, bytes, bytes, messages[index], { deadline }, (error) =>
              resolve(
                error === null ? undefined : { status: error.code, message: error.message, lost: false },
              ),
            );
          }),
        close: () => client.close(),
      };
    },
  };
};

const requests = texts.map((text) => {
  const data = [new TextEncoder().encode(text)];
  return { inputs: new Map([["text", { dtype: "BYTES", shape: [1, 1], data }]]) };
});
const settings = { model: "embed", requests, timeoutMs: 20_000 };
const loads = {
  typedHttp: typed(() => embedClient({ url: http })),
  typedGrpc: typed(() => createGrpcClient({ address: grpc, ensemble: embedContract })),
  plainHttp: plain(httpTarget(http, settings)),
  plainGrpc: plain(libraryTarget(grpc, settings)),
};
const results = await Promise.all(Object.keys(clients).map(async (kind) => [kind, await loads[kind](kind)]));
console.log(JSON.stringify(Object.fromEntries(results)));
process.exit(0);
