/*
 * Compiles Triton's own ONNX Runtime backend and puts it in place of the Python stand-in, in a cache that is only for this:
 * `node test/workspace/onnxruntime-backend.mjs <sources> <cache>`. The sources are checkouts of `onnxruntime_backend`,
 * `backend`, `core` and `common` at branch `r24.10`. Needs g++, Go (for a header) and RapidJSON (`rapidjson-dev`).
 * Tests and benchmarks then use it with `TRITYPE_CACHE=<cache>`.
 */
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { installTriton } from "../../packages/tritonserver/dist/index.js";

const run = promisify(execFile);
const [sources, cache] = process.argv.slice(2).map((path) => resolve(path));
if (cache === undefined)
  throw new Error("usage: node test/workspace/onnxruntime-backend.mjs <sources> <cache>");

/** The version in NVIDIA's image of Triton 24.10. */
const onnxruntime = "1.19.2";
/** A Go module with the C header of ONNX Runtime 1.20, which only adds functions to that of 1.19. */
const header = {
  module: "github.com/yalue/onnxruntime_go@v1.13.0",
  version: /(?<=#define ORT_API_VERSION )20\b/,
};

const installation = await installTriton({ cache, notice: console.log });
const folder = join(installation.backends, "onnxruntime");
const work = join(cache, "onnxruntime-backend");
await rm(work, { recursive: true, force: true });
await mkdir(join(work, "objects"), { recursive: true });

const { stdout } = await run("go", ["mod", "download", "-json", header.module], { cwd: work });
const text = await readFile(join(JSON.parse(stdout).Dir, "onnxruntime_c_api.h"), "utf8");
if (!header.version.test(text)) throw new Error(`${header.module} has another version of the header`);
await writeFile(join(work, "onnxruntime_c_api.h"), text.replace(header.version, "19"));

const wheel = join(work, "wheel");
const pip = [
  "-m",
  "pip",
  "install",
  "--quiet",
  "--no-deps",
  "--target",
  wheel,
  `onnxruntime==${onnxruntime}`,
];
await run(installation.python, pip);
const library = join(wheel, "onnxruntime", "capi", `libonnxruntime.so.${onnxruntime}`);

const sourcesIn = async (path) => {
  const names = await readdir(join(sources, path));
  // The memory tracker needs CUDA, and protobuf messages are not used.
  const left = ["device_memory_tracker.cc", "model_config.cc", "table_printer.cc"];
  return names
    .filter((name) => name.endsWith(".cc") && !left.includes(name))
    .map((name) => join(sources, path, name));
};
const files = (
  await Promise.all(["onnxruntime_backend/src", "backend/src", "common/src"].map(sourcesIn))
).flat();
const includes = [
  "onnxruntime_backend/src",
  "core/include",
  "backend/include",
  "backend/src",
  "common/include",
];
const defined = ["-DTRITON_ENABLE_STATS", "-DTRITON_MIN_COMPUTE_CAPABILITY=6.0"];
const folders = [work, ...includes.map((path) => join(sources, path))];
const options = ["-std=c++17", "-O2", "-fPIC", "-w", ...defined, ...folders.map((path) => `-I${path}`)];
const objectOf = (file) => join(work, "objects", `${basename(file)}.o`);
const queue = [...files];
const compile = async () => {
  for (let file = queue.pop(); file !== undefined; file = queue.pop())
    await run("g++", [...options, "-c", file, "-o", objectOf(file)]);
};
await Promise.all(Array.from({ length: availableParallelism() }, compile));

await rm(folder, { recursive: true, force: true });
await mkdir(folder);
await copyFile(library, join(folder, "libonnxruntime.so.1"));
const exported = join(sources, "onnxruntime_backend", "src", "libtriton_onnxruntime.ldscript");
const linked = ["-Wl,-rpath,$ORIGIN", join(folder, "libonnxruntime.so.1"), "-lpthread"];
const shared = ["-shared", "-o", join(folder, "libtriton_onnxruntime.so")];
await run("g++", [...shared, ...files.map(objectOf), `-Wl,--version-script,${exported}`, ...linked]);
console.log(`${folder}: Triton's ONNX Runtime backend with ONNX Runtime ${onnxruntime}`);
