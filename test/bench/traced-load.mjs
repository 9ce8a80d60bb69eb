/** The server process of traces.mjs, and the code that both sides need. */
import { mkdir, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildModel } from "../../packages/onnx/dist/bundle/index.js";

/** A repository with an ONNX model `echo`. */
export const echoRepository = async (folder) => {
  const tensor = (name) => ({ name, type: { dtype: "FP32", dims: ["batch", 4] } });
  const model = buildModel({ name: "g", inputs: [tensor("X")], outputs: [tensor("Y")] }, (b) => ({
    Y: b.node("Identity", ["X"])[0],
  }));
  await mkdir(join(folder, "echo", "1"), { recursive: true });
  await writeFile(join(folder, "echo", "1", "model.onnx"), model);
  await writeFile(
    join(folder, "echo", "config.pbtxt"),
    'name: "echo" backend: "onnxruntime" max_batch_size: 8',
  );
  return folder;
};

const body = JSON.stringify({ inputs: [{ name: "X", datatype: "FP32", shape: [1, 4], data: [1, 2, 3, 4] }] });

/** Requests one after the other, on one connection. */
export const sendMany = async (url, count) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < count; i++)
    await new Promise((resolve, reject) => {
      request(`${url}/v2/models/echo/infer`, { method: "POST", agent }, (response) => {
        response.resume().on("end", resolve);
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      })
        .on("error", reject)
        .end(body);
    });
  agent.destroy();
};

const [checkout, repository, trace] = process.argv.slice(2);
if (process.send !== undefined) {
  const load = (name) => import(pathToFileURL(join(checkout, "packages", name, "dist/bundle/index.js")));
  const [{ startRuntime }, { createExtensions, serveHttp }] = await Promise.all([
    load("runtime"),
    load("server"),
  ]);
  const runtime = await startRuntime({ repository, device: "cpu", python: "always", notice: console.error });
  const { url } = await serveHttp(runtime, {
    port: 0,
    extensions: createExtensions({ trace: JSON.parse(trace) }),
  });
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send(user + system);
  });
  process.send({ url });
}
