import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { boundToParent, runCommand, withFileLock } from "@tritype/wheels";
import { digest } from "./digest.ts";
import { type PythonFacts, probePython, pythonCandidates } from "./find-python.ts";
import type { InstallOptions } from "./installation.ts";
import { makeCacheFolder } from "./make-cache-folder.ts";
import { environmentMarker, environmentPython, makeEnvironment } from "./make-environment.ts";
import { tritonserverError } from "./errors.ts";

/** A smaller form of an ONNX model that onnxruntime's own tools make. */
export type OnnxVariantKind = "fp16" | "int8";

/** The kinds, as in onnxruntime's documentation. */
export const onnxVariantCalls: Readonly<Record<OnnxVariantKind, string>> = {
  fp16: "onnxruntime.transformers.float16.convert_float_to_float16(model, keep_io_types=True)",
  int8: "onnxruntime.quantization.quantize_dynamic(source, target, weight_type=QuantType.QInt8)",
};

/** Requirements by Python version; other versions have no wheels of these packages. */
const toolRequirements: Readonly<Record<string, readonly string[]>> = {
  "3.13": requirements("1.30.0", "2.4.6"),
  "3.12": requirements("1.30.0", "2.4.6"),
  "3.11": requirements("1.30.0", "2.4.6"),
  "3.10": requirements("1.23.2", "2.2.6"),
};

function requirements(onnxruntime: string, numpy: string): readonly string[] {
  return [`onnxruntime==${onnxruntime}`, "onnx==1.23.2", `numpy==${numpy}`, "sympy==1.14.0"];
}

const script = fileURLToPath(new URL("../tools/make_variant.py", import.meta.url));

/**
 * Path of the fp16 or int8 variant of an ONNX file, made by onnxruntime's tools in a virtual environment of the cache (once, about
 * 290 MB). The file is cached by the model's content; inputs and outputs keep their dtypes.
 * @param source An ONNX file; the other files of its folder count as its external data.
 * @throws PipelineError `tool/missing` without a suitable Python; `model/failed` with the tool's last lines.
 */
export async function makeOnnxVariant(
  source: string,
  kind: OnnxVariantKind,
  options: InstallOptions,
): Promise<string> {
  const python = await fittingPython(options);
  const needed = toolRequirements[python.version] ?? [];
  const tool = await readFile(script, "utf8");
  const key = digest([kind, tool, ...needed, ...(await hashesBeside(source))]);
  const folder = join(resolve(options.cache), "onnx-variants");
  const target = join(folder, `${basename(source, ".onnx")}-${key}.${kind}.onnx`);
  if (existsSync(target)) return target;
  makeCacheFolder(folder);
  const environment = await toolEnvironment(options, python, needed);
  options.notice(`creating the ${kind} variant: ${onnxVariantCalls[kind]}`);
  const part = `${target}.${process.pid}.part`;
  try {
    const argv = [environmentPython(environment), script, kind, source, part] as const;
    const { code, output } = await runCommand(
      process.platform === "linux" ? boundToParent(python.path, argv) : argv,
    );
    if (code !== 0)
      throw tritonserverError("drift/no-onnx-variant", {
        kind,
        file: basename(source),
        output: output.trim().split("\n").slice(-6).join("\n"),
      });
    await rename(part, target);
  } finally {
    await rm(part, { force: true });
  }
  return target;
}

async function toolEnvironment(
  { cache, notice }: InstallOptions,
  python: PythonFacts,
  needed: readonly string[],
): Promise<string> {
  const root = join(resolve(cache), "onnx-tools");
  const environment = join(root, `python${python.version}-${digest([python.path, ...needed])}`);
  if (existsSync(join(environment, environmentMarker))) return environment;
  makeCacheFolder(root);
  const make = async (): Promise<void> => {
    if (existsSync(join(environment, environmentMarker))) return;
    notice(`installing onnxruntime's tools (once, about 290 MB) into ${environment}`);
    await makeEnvironment({
      python: python.path,
      folder: environment,
      requirements: needed,
      // The tools import few of the 2,800 modules, and Python compiles those.
      isCompiled: false,
      help: "check that pip can reach its package index",
      notice,
    });
  };
  await (process.platform === "win32" ? make() : withFileLock(python.path, join(root, "lock"), make));
  return environment;
}

async function fittingPython({ python, env = process.env }: InstallOptions): Promise<PythonFacts> {
  const versions = Object.keys(toolRequirements);
  const seen: string[] = [];
  for (const path of python === undefined ? pythonCandidates(env) : [python]) {
    const facts = await probePython(path);
    if (facts === undefined) continue;
    if (typeof facts === "string") seen.push(`${path} ${facts}`);
    else if (versions.includes(facts.version) && facts.canMakeEnvironments) return facts;
    else seen.push(`${path} is ${facts.version}${facts.canMakeEnvironments ? "" : " without venv"}`);
  }
  throw tritonserverError("install/no-python-for-onnx", {
    versions: versions.toReversed().join(", "),
    seen: seen.length > 0 ? seen.join(", ") : "no Python was found",
  });
}

async function hashesBeside(source: string): Promise<readonly string[]> {
  const content = await readFile(source);
  // Weights next to the file belong to it: models above 2 GB keep them there.
  const external = await Promise.all(
    (await readdir(dirname(source), { withFileTypes: true }))
      .filter((entry) => entry.isFile() && content.includes(entry.name) && entry.name !== basename(source))
      .map((entry) => entry.name)
      .toSorted()
      .map(async (name) => `${name} ${sha256(await readFile(join(dirname(source), name)))}`),
  );
  return [sha256(content), ...external];
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
