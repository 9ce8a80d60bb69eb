// The longest turns of a server's event loop while one large tensor goes through it and back (Linux): node
// test/bench/large-tensors.mjs [megabytes] Turns are measured in processor time of the main thread, which does not depend
// on other programs. The client is a separate process.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, credentials } from "@grpc/grpc-js";
import { buildModel } from "@tritype/onnx";
import { grpcInferRequest, grpcMethod } from "@tritype/protocol";
import { startRuntime } from "@tritype/runtime";
import { serveGrpc, serveHttp } from "@tritype/server";

const [megabytes = "240", kind, address] = process.argv.slice(2);
const size = Number(megabytes) * 2 ** 20;
const shape = [size / 4];

const overHttp = (url, data) => {
  const input = { name: "X", datatype: "FP32", shape, parameters: { binary_data_size: size } };
  const head = JSON.stringify({ inputs: [input], parameters: { binary_data_output: true } });
  const headers = { "Inference-Header-Content-Length": head.length, "Content-Length": head.length + size };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${url}/v2/models/same/infer`, { method: "POST", headers }, (response) => {
      let length = 0;
      response.on("data", (chunk) => (length += chunk.length));
      response.on("end", () => resolve(length));
    });
    sent.on("error", reject);
    sent.write(head);
    sent.end(data);
  });
};
const overGrpc = (target, data) => {
  const { path, request } = grpcMethod("ModelInfer");
  const unlimited = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };
  const client = new Client(target, credentials.createInsecure(), unlimited);
  const message = grpcInferRequest({
    model: "same",
    id: "",
    inputs: new Map([["X", { dtype: "FP32", shape, data }]]),
  });
  const encode = (one) => Buffer.from(request.encode(one));
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      encode,
      (bytes) => bytes.length,
      message,
      (error, length) => {
        client.close();
        if (error === null) resolve(length);
        else reject(error);
      },
    );
  });
};

if (kind !== undefined) {
  const length = await (kind === "HTTP" ? overHttp : overGrpc)(address, new Uint8Array(size).fill(1));
  if (length < size) throw new Error(`the answer has ${length} bytes`);
} else {
  const folder = mkdtempSync(join(tmpdir(), "large-"));
  mkdirSync(join(folder, "same/1"), { recursive: true });
  const port = (name) => ({ name, type: { dtype: "FP32", dims: ["n"] } });
  const model = buildModel({ name: "same", inputs: [port("X")], outputs: [port("Y")] }, (b) => ({
    Y: b.node("Identity", ["X"])[0],
  }));
  writeFileSync(join(folder, "same/1/model.onnx"), model);
  writeFileSync(
    join(folder, "same/config.pbtxt"),
    'backend: "onnxruntime" input { name: "X" data_type: TYPE_FP32 dims: -1 } output { name: "Y" data_type: TYPE_FP32 dims: -1 }',
  );
  const runtime = await startRuntime({ repository: folder, device: "cpu", python: "twin", notice: () => {} });
  const http = await serveHttp(runtime, { port: 0, maxBodyBytes: 2 ** 31 });
  const grpc = await serveGrpc(runtime, { port: 0, maxMessageBytes: 2 ** 31 - 1 });
  const spent = () =>
    Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  let turns = [];
  let last = spent();
  const turn = setInterval(() => {
    const now = spent();
    turns.push(now - last);
    last = now;
  }, 1);
  for (const [name, target] of [
    ["HTTP", http.url],
    ["gRPC", grpc.address],
  ]) {
    turns = [];
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), megabytes, name, target], {
      stdio: "inherit",
    });
    await new Promise((resolve) => child.once("exit", resolve));
    const longest = turns.toSorted((a, b) => b - a).slice(0, 4);
    console.log(
      `${name}, ${megabytes} MB: longest turns ${longest.map((one) => one.toFixed(0)).join(", ")} ms`,
    );
  }
  clearInterval(turn);
  await http.close();
  await grpc.close();
  await runtime.close();
  rmSync(folder, { recursive: true });
}
