import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type TensorType, tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { afterAll, beforeAll, expect, test } from "vitest";
import { boundToParent, cacheFolder } from "@tritype/wheels";
import { installTriton } from "./install-triton.ts";
import type { WheelInstallation } from "./installation.ts";
import { serveTriton, type TritonServer } from "./serve-triton.ts";

let triton: WheelInstallation;
let folder: string;
let server: TritonServer;

beforeAll(async () => {
  const installation = await installTriton({ cache: cacheFolder(), notice: () => {} });
  if (installation.kind !== "wheel") throw new Error("These tests need Triton's wheel");
  triton = installation;
  folder = await mkdtemp(join(tmpdir(), "tritype-serve-"));
  const repository = join(folder, "good");
  await writeModel(repository, "echo", "python", "TYPE_STRING", "", "model.py", echo);
  await writeModel(repository, "sum", "onnxruntime", "TYPE_FP32", batching, "model.onnx", addModel());
  await writeModel(repository, "pick", "onnxruntime", "TYPE_FP32", batching, "model.onnx", pickModel());
  server = await serveTriton(triton, { repository });
  await server.waitReady();
}, 300_000);

afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

test("a complete installation is reused immediately, even by parallel callers", async () => {
  const lines: string[] = [];
  const options = { cache: cacheFolder(), notice: (line: string) => lines.push(line) };
  const both = await Promise.all([installTriton(options), installTriton(options)]);
  expect(both).toEqual([triton, triton]);
  expect(lines).toEqual([]);
});

test("a server whose Python backend aborted during startup is restarted", async () => {
  const program = join(folder, "aborts-once.sh");
  const mark = join(folder, "aborted");
  const abort = `touch ${mark}; echo "what():  boost::interprocess::lock_exception" >&2; kill -ABRT $$`;
  const script = `#!/bin/sh\nif [ ! -e ${mark} ]; then ${abort}; fi\nexec ${triton.executable} "$@"\n`;
  await writeFile(program, script, { mode: 0o755 });
  const again = await serveTriton(
    { ...triton, executable: program },
    { repository: join(folder, "good"), extraArguments: ["--model-control-mode=explicit"] },
  );
  await again.stop();
  expect((await readdir(folder)).includes("aborted")).toBe(true);
});

test("a repository may have spaces and letters of any language in its path", async () => {
  const repository = join(folder, "Mein Ränking", "models");
  await writeModel(repository, "echo", "python", "TYPE_STRING", "", "model.py", echo);
  await writeModel(repository, "broken", "python", "TYPE_STRING", "", "model.py", "import no_such_package\n");
  const own = await serveTriton(triton, { repository });
  try {
    const answer = await fetch(`${own.httpUrl}/v2/models/echo/ready`);
    expect(answer.status).toBe(200);
    expect(own.log()).toContain(join(repository, "broken"));
    expect(own.log()).not.toContain("tritype-triton-");
  } finally {
    await own.stop();
  }
});

test("a python model answers with the bytes it was sent", async () => {
  const A = { name: "A", shape: [1, 2], datatype: "BYTES", data: ["kind", "日本 👩‍🚀"] };
  expect(await infer("echo", [A])).toMatchObject({ outputs: [{ ...A, name: "C" }] });
});

test("parallel requests to an ONNX model run in fewer batches, and each gets its own rows", async () => {
  const sizes = [1, 2, 3, 2];
  const answers = await Promise.all(
    sizes.map(async (rows, index) => {
      const data = Array.from({ length: rows * 2 }, (_, at) => index * 100 + at);
      const port = { shape: [rows, 2], datatype: "FP32", data };
      return { data, answer: await infer("sum", [{ name: "A", ...port }]) };
    }),
  );
  for (const { data, answer } of answers) {
    expect(answer).toMatchObject({ outputs: [{ name: "C", data: data.map((value) => value + value) }] });
  }
  // The server updates its counts after it has answered.
  const counted = (): Promise<unknown> => getJson("/v2/models/sum/stats");
  await expect.poll(counted).toMatchObject({ model_stats: [{ inference_count: 8 }] });
  const { execution_count: executions } = (
    (await counted()) as { model_stats: [{ execution_count: number }] }
  ).model_stats[0];
  expect(executions).toBeLessThan(sizes.length);
});

test("an onnxruntime failure fails the request, and the server continues", async () => {
  const ask = async (data: readonly number[]) =>
    await infer("pick", [{ name: "A", shape: [1, 2], datatype: "FP32", data }]);
  expect(await ask([0, 7])).toMatchObject({ error: expect.stringContaining("onnx runtime error: ") });
  expect(await ask([2, 0])).toMatchObject({ outputs: [{ name: "C", shape: [1, 2], data: [30, 10] }] });
});

test("the official client reads metadata, and the metrics endpoint answers", async () => {
  const script = `
import sys, tritonclient.grpc as grpc
print(grpc.InferenceServerClient(sys.argv[1]).get_server_metadata().version)`;
  const { stdout } = await promisify(execFile)(triton.python, ["-c", script, server.grpcAddress]);
  expect(stdout.trim()).toBe("2.51.0");
  expect(await (await fetch(server.metricsUrl)).text()).toContain("nv_inference_count");
});

test("broken models are reported with the server's reasons while the others are served", async () => {
  const repository = join(folder, "broken");
  await writeModel(repository, "echo", "python", "TYPE_STRING", "", "model.py", echo);
  await writeModel(repository, "typo", "python", "TYPE_STRING", "max_batch_siz: 3\n", "model.py", echo);
  await writeModel(repository, "wrong", "onnxruntime", "TYPE_FP16", batching, "model.onnx", addModel());
  const broken = await serveTriton(triton, { repository });
  try {
    const failure = await broken.waitReady().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "model/unavailable" });
    expect(String(failure)).toContain('has no field named "max_batch_siz"');
    expect(String(failure)).toContain("Poll failed for model directory 'typo'");
    expect(String(failure)).toContain(
      "configuration expects datatype TYPE_FP16 for input 'A', model provides TYPE_FP32",
    );
    expect((await fetch(`${broken.httpUrl}/v2/models/echo/ready`)).status).toBe(200);
  } finally {
    await broken.stop();
  }
  await expect(serveTriton(triton, { repository, exitOnError: true })).rejects.toMatchObject({
    code: "server/unreachable",
    message: expect.stringContaining("Poll failed for model directory 'typo'"),
  });
});

test("a port in use and a missing repository have their own errors", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const repository = join(folder, "empty");
  await mkdir(repository);
  for (const name of ["httpPort", "grpcPort", "metricsPort"]) {
    const attempt = serveTriton(triton, { repository, [name]: port });
    await expect(attempt).rejects.toMatchObject({
      code: "port/in-use",
      message: expect.stringContaining(`:${port}'`),
    });
  }
  holder.close();
  await expect(serveTriton(triton, { repository: join(folder, "none") })).rejects.toMatchObject({
    code: "file/not-found",
  });
});

test("a program that is bound to its parent exits when the parent is killed", async () => {
  const pidFile = join(folder, "pid");
  const argv = boundToParent(
    triton.python,
    ["/bin/sh", "-c", `echo $$ >${pidFile}.part; mv ${pidFile}.part ${pidFile}; exec sleep 600`],
    0,
  );
  const parentScript = `
    const argv = ${JSON.stringify(argv)}.map((part) => (part === "0" ? String(process.pid) : part));
    require("node:child_process").spawn(argv[0], argv.slice(1), { detached: true, stdio: "ignore" });
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ["-e", parentScript], { stdio: "ignore" });
  await expect.poll(async () => (await readdir(folder)).includes("pid"), { timeout: 10_000 }).toBe(true);
  const pid = (await readFile(pidFile, "utf8")).trim();
  const alive = async () =>
    await readFile(`/proc/${pid}/stat`, "utf8").then(
      (stat) => !stat.includes(") Z "),
      () => false,
    );
  expect(await alive()).toBe(true);
  parent.kill("SIGKILL");
  await expect.poll(alive, { timeout: 10_000 }).toBe(false);
});

async function infer(model: string, inputs: readonly unknown[]): Promise<unknown> {
  const response = await fetch(`${server.httpUrl}/v2/models/${model}/infer`, {
    method: "POST",
    body: JSON.stringify({ inputs }),
  });
  return await response.json();
}

async function getJson(path: string): Promise<unknown> {
  return await (await fetch(`${server.httpUrl}${path}`)).json();
}

const batching = "max_batch_size: 8\ndynamic_batching { max_queue_delay_microseconds: 1000000 }\n";

/** A model with one input A and one output C, both `[…, 2]`. */
async function writeModel(
  repository: string,
  name: string,
  backend: string,
  type: string,
  more: string,
  file: string,
  contents: string | Uint8Array,
): Promise<void> {
  const dims = more.includes("max_batch_size") ? "[ 2 ]" : "[ -1, 2 ]";
  const port = (port: string) => `{ name: "${port}" data_type: ${type} dims: ${dims} }`;
  const config = `name: "${name}"\nbackend: "${backend}"\n${more}input [ ${port("A")} ]\noutput [ ${port("C")} ]\n`;
  const path = join(repository, name, "1", file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(join(repository, name, "config.pbtxt"), config);
  await writeFile(path, contents);
}

function addModel(): Uint8Array {
  const type: TensorType = { dtype: "FP32", dims: ["batch", 2] };
  const header = { name: "sum", inputs: [{ name: "A", type }], outputs: [{ name: "C", type }] };
  return buildModel(header, (builder) => ({ C: builder.node("Add", ["A", "A"])[0] }));
}

/** Three values, selected by the indices in A. */
function pickModel(): Uint8Array {
  const type: TensorType = { dtype: "FP32", dims: ["batch", 2] };
  const header = { name: "pick", inputs: [{ name: "A", type }], outputs: [{ name: "C", type }] };
  const values = tensorOf("FP32", [3], [10, 20, 30]);
  return buildModel(header, (builder) => {
    const [indices] = builder.node("Cast", ["A"], { to: { int: 7 } });
    return { C: builder.node("Gather", [builder.constant(values), indices])[0] };
  });
}

const echo = `
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def execute(self, requests):
        arrays = [pb_utils.get_input_tensor_by_name(request, "A").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("C", array)]) for array in arrays]
`;
