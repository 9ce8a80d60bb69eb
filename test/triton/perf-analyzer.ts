import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "@tritype/tritonserver";
import { debianLibraries, unpackedPackages } from "../environment/debian-tool.ts";
import { makeOnce } from "../environment/make-once.ts";
import { installPackages } from "../environment/python-tool.ts";

const exec = promisify(execFile);
const packages = ["tritonclient==2.51.0", "nvidia-cuda-runtime-cu12==12.9.79"];

/** NVIDIA's load generator. */
export interface PerfAnalyzer {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs it, and resolves to its output. */
  readonly run: (...argv: readonly string[]) => Promise<string>;
}

/**
 * Installs perf_analyzer from Triton 24.10's client wheel (25 MB with CUDA's runtime, once), and Debian's libb64, which it
 * links to and which no wheel contains.
 */
export const installPerfAnalyzer = async (): Promise<PerfAnalyzer> => {
  const folder = join(cacheFolder(), "perf-analyzer-2.51.0");
  await makeOnce(folder, (staging) =>
    installPackages("python3", ["--target", staging, "--no-deps", ...packages]),
  );
  const debian = await unpackedPackages(["libb64-0d"]);
  const libraries = [join(folder, "nvidia", "cuda_runtime", "lib"), join(debian, debianLibraries)];
  const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(":") };
  const path = join(folder, "bin", "perf_analyzer");
  const run: PerfAnalyzer["run"] = async (...argv) =>
    (await exec(path, argv, { env, timeout: 60_000 })).stdout;
  return { path, env, run };
};
