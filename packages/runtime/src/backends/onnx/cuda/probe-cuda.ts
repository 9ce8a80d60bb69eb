import { join } from "node:path";
import { messageOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { openOnnxInstance } from "../onnx-instance.ts";
import { cudaRelease } from "./cuda-release.ts";
import { libraryName } from "./installed-binding.ts";
import { loadedFromElsewhere, loadLibraries } from "./load-libraries.ts";

/** The reason why a device cannot be used, in a few words, and the fix. */
export interface DeviceProblem {
  readonly reason: string;
  readonly help: string;
}

/** The file name of the machine's GPU driver. */
const driverName = "libcuda.so.1";

/**
 * Makes this process load ONNX Runtime from `libraries` (see `installCuda`), next to its CUDA provider. Call it before
 * anything loads onnxruntime-node: the loader identifies a library by its name and uses the first one.
 */
export const takeLibraries = (libraries: string): DeviceProblem | undefined => {
  const other = loadedFromElsewhere(libraryName, libraries);
  const reason =
    other === undefined
      ? loadLibraries([join(libraries, libraryName)])
      : `something in this process has already loaded ${other}`;
  return reason === undefined
    ? undefined
    : { reason, help: "Start the runtime before anything else imports onnxruntime-node." };
};

/**
 * The reason why CUDA cannot be used; undefined if it can. Loads the libraries that the provider needs into this
 * process permanently.
 * @param libraries Folder into which `installCuda` installed them; if absent, the provider must be next to onnxruntime-node.
 */
export const probeCuda = async (
  libraries: string | undefined,
  driver: string = driverName,
): Promise<DeviceProblem | undefined> => {
  if (libraries === undefined && process.platform === "linux") {
    const problem = loadLibraries([driver]);
    if (problem !== undefined) return noDriver(problem);
  }
  const own = libraries === undefined ? [] : cudaRelease.preload.map((name) => join(libraries, name));
  const problem = await openWith(["cuda"], libraries === undefined ? [] : [...own, driver]);
  if (problem === undefined) return undefined;
  if (problem.startsWith(driver)) return noDriver(problem);
  if (libraries !== undefined && problem.startsWith(libraries))
    return { reason: problem, help: "Run `pipeline gpu install --force`, or --device cpu." };
  if (libraries === undefined && process.platform === "linux" && process.arch === "x64") return notInstalled;
  return { reason: inShort(problem), help: driverHelp };
};

/** The reason why TensorRT cannot be used; undefined if it can. Called once CUDA is known to work. */
export const probeTensorrt = async (): Promise<string | undefined> => {
  const problem = await openWith(["tensorrt", "cuda"], tensorrtLibraries);
  return problem === undefined ? undefined : inShort(problem);
};

/** PyPI has no wheel of TensorRT 10, so it must be installed on the system. */
const tensorrtLibraries = ["libnvinfer.so.10", "libnvonnxparser.so.10"];

const driverHelp = `Run with --device cpu, or install NVIDIA's driver, ${cudaRelease.driver} or newer (CUDA ${cudaRelease.cuda}).`;

const noDriver = (problem: string): DeviceProblem => ({
  reason: `NVIDIA's driver is missing: ${problem}`,
  help: driverHelp,
});

const notInstalled: DeviceProblem = {
  reason: "its libraries are not installed; run `pipeline gpu install`",
  help: "Run `pipeline gpu install`, or --device cpu.",
};

const openWith = async (
  executionProviders: readonly string[],
  preload: readonly string[],
): Promise<string | undefined> => {
  const port = { type: { dtype: "FP32", dims: [1] } } as const;
  const model = buildModel(
    { name: "probe", inputs: [{ name: "x", ...port }], outputs: [{ name: "y", ...port }] },
    (builder) => ({ y: builder.node("Identity", ["x"])[0] ?? "" }),
  );
  try {
    const instance = await openOnnxInstance({
      model,
      options: { executionProviders, logSeverityLevel: 4 },
      preload,
    });
    await instance.close();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
};

/** CUDA's own message, extracted from ONNX Runtime's, which begins with the signature of a C++ function. */
const inShort = (problem: string): string => {
  const [line = ""] = problem.split("\n", 1);
  return /CUDA failure \d+: [^;]*[^; ]/.exec(problem)?.[0] ?? line;
};
