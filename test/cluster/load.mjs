// Sends requests from the cluster's network until standard input is closed, then prints how they ended, as JSON.
//   node load.mjs <address> <client module> <HTTP port> <gRPC port>
import { Client, credentials } from "@grpc/grpc-js";
import { httpTarget, machineClock, runLoad } from "@tritype/load-test";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { createGrpcClient } from "@tritype/typed-client/grpc";

const [address, clientModule, http = 8000, grpc = 8001] = process.argv.slice(2);
const clients = 3;
const texts = ["A man is eating food.", "what people write into a search", "a text that goes on ".repeat(20)];

const { embedClient, embedContract } = await import(clientModule);
const over = new AbortController();
process.stdin.resume().once("end", () => over.abort());

/** The build's own clients, one connection each. The norm of a vector shows which build has answered. */
const typed = async (clientOf) => {
  const result = { answered: 0, failures: [], lengths: {} };
  const one = async (_, index) => {
    const client = clientOf();
    for (let sent = index; !over.signal.aborted; sent++) {
      try {
        const { embedding } = await client.infer(
          { text: [texts[sent % texts.length]] },
          { deadlineMs: 20_000 },
        );
        const length = Math.sqrt(embedding.data.reduce((sum, value) => sum + value * value, 0)).toFixed(1);
        result.lengths[length] = (result.lengths[length] ?? 0) + 1;
        result.answered++;
      } catch (error) {
        result.failures.push(`${error.kind} ${error.status ?? ""}: ${error.message}`);
      }
    }
    client.close?.();
  };
  await Promise.all(Array.from({ length: clients }, one));
  return { ...result, failed: result.failures.length };
};

/** Clients that never repeat a request, like plain HTTP and gRPC libraries. */
const plain = async (target) => {
  const { latencies, failures } = await runLoad({
    load: { kind: "closed", clients },
    target,
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
const options = { model: "embed", requests, timeoutMs: 20_000 };

const [typedHttp, typedGrpc, plainHttp, plainGrpc] = await Promise.all([
  typed(() => embedClient({ url: `http://${address}:${http}` })),
  typed(() => createGrpcClient({ address: `${address}:${grpc}`, ensemble: embedContract })),
  plain(httpTarget(`http://${address}:${http}`, options)),
  plain(libraryTarget(`${address}:${grpc}`, options)),
]);
console.log(JSON.stringify({ typedHttp, typedGrpc, plainHttp, plainGrpc }));
process.exit(0);
