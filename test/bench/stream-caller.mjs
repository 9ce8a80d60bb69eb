// Clients of one model in a separate process, each of which sends its next request when the last one is answered.
// Argument: Triton's gRPC address.
import { Client, credentials } from "@grpc/grpc-js";
import { tensorOf, valuesOf } from "@tritype/core";
import { grpcInferRequest, grpcMethod, readGrpcInferResponse } from "@tritype/protocol";
import { summarize } from "./measure.mjs";

const [address] = process.argv.slice(2);

/** Outputs of 5 to 200 tokens, evenly distributed in mixed order; prompts of 1 to 8 tokens. */
const requests = Array.from({ length: 64 }, (_, index) => {
  const count = BigInt(5 + ((index * 83) % 196));
  const prompt = Array.from({ length: 1 + (index % 8) }, (_none, at) => 3 + ((index * 7 + at * 5) % 36));
  return new Map([
    ["input_ids", tensorOf("INT64", [1, prompt.length], prompt)],
    [
      "attention_mask",
      tensorOf(
        "INT64",
        [1, prompt.length],
        prompt.map(() => 1),
      ),
    ],
    ["min_new_tokens", tensorOf("INT64", [1, 1], [count])],
    ["max_new_tokens", tensorOf("INT64", [1, 1], [count])],
  ]);
});

const countOf = ({ outputs }) => valuesOf(outputs.get("sequences")).length;

const openUnary = (client) => {
  const { path, request, response } = grpcMethod("ModelInfer");
  const encode = (message) => Buffer.from(request.encode(message));
  return (model, inputs) =>
    new Promise((resolve, reject) => {
      const message = grpcInferRequest({ model, id: "", inputs });
      const began = performance.now();
      client.makeUnaryRequest(path, encode, response.decode, message, (error, answer) => {
        if (error) return reject(error);
        const first = performance.now() - began;
        resolve({ first, took: first, tokens: countOf(readGrpcInferResponse(answer)) });
      });
    });
};

/** One stream for each client, as with the official clients. */
const openStream = (client) => {
  const { path, request, response } = grpcMethod("ModelStreamInfer");
  const call = client.makeBidiStreamRequest(
    path,
    (message) => Buffer.from(request.encode(message)),
    response.decode,
  );
  let current;
  call.on("error", (error) => current?.reject(error));
  call.on("data", ({ error_message: error, infer_response: answer }) => {
    if (error) {
      current.reject(new Error(error));
      return;
    }
    const read = readGrpcInferResponse(answer);
    current.first ??= performance.now() - current.began;
    current.tokens += countOf(read);
    if (read.parameters?.triton_final_response === true)
      current.resolve({
        first: current.first,
        took: performance.now() - current.began,
        tokens: current.tokens,
      });
  });
  return (model, inputs) =>
    new Promise((resolve, reject) => {
      current = { resolve, reject, tokens: 0, began: performance.now() };
      call.write(grpcInferRequest({ model, id: "", inputs }));
    });
};

const load = async ({ model, streams, clients, seconds }) => {
  const made = [];
  let sent = 0;
  const begin = performance.now();
  const run = async () => {
    const client = new Client(address, credentials.createInsecure(), { "grpc.use_local_subchannel_pool": 1 });
    const ask = streams ? openStream(client) : openUnary(client);
    while (performance.now() - begin < seconds * 1000)
      made.push(await ask(model, requests[sent++ % requests.length]));
    client.close();
  };
  await Promise.all(Array.from({ length: clients }, run));
  const passed = performance.now() - begin;
  const tokens = made.reduce((sum, one) => sum + one.tokens, 0);
  return {
    first: summarize(made.map(({ first }) => first)).median,
    took: summarize(made.map(({ took }) => took)).median,
    rate: (tokens * 1000) / passed,
  };
};

process.on("message", async (message) => process.send(await load(message)));
process.once("disconnect", () => process.exit(0));
process.send("ready");
