import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { heldOut } from "../../sentiment-tensorrt/test/held-out.ts";
import type { Verdict } from "../clients/classify.ts";

const example = new URL("..", import.meta.url);

/** Path of a file of the example. */
export const exampleFile = (file: string): string => fileURLToPath(new URL(file, example));

/** The model repository of the example, built in its own folder, as by `pipeline build`. */
export const buildExample = async (): Promise<{ repository: string; remove: () => Promise<void> }> => {
  const build = await mkdtemp(join(tmpdir(), "tritype-roberta-"));
  const { compilation } = await compileProject(findProject(exampleFile(".")));
  if (compilation.build === undefined || compilation.diagnostics.length > 0)
    throw new Error(compilation.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  writeBuild(build, compilation.build.tree);
  return {
    repository: join(build, "model_repository"),
    remove: () => rm(build, { recursive: true, force: true }),
  };
};

/** The share of held-out sentences that get the correct label. */
export const accuracyOf = (verdicts: readonly Verdict[]): number =>
  verdicts.filter(({ label }, index) => label === heldOut[index]?.label).length / heldOut.length;

/** The lines that `clients/classify.py` prints. */
export const runPythonClient = async (
  python: string,
  address: string,
  texts: readonly string[],
): Promise<readonly string[]> => {
  const { stdout } = await promisify(execFile)(python, [
    exampleFile("clients/classify.py"),
    address,
    ...texts,
  ]);
  return stdout.trim().split("\n");
};

/** Exit code and output of `scripts/check_conversion.py` on every tenth held-out sentence. */
export const checkConversion = async (
  [python, ...argv]: readonly [string, ...string[]],
  address: string,
  options: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const files = ["model.pt", "model.onnx"].map((file) => exampleFile(`../sentiment-tensorrt/assets/${file}`));
  const script = exampleFile("scripts/check_conversion.py");
  const child = spawn(python, [...argv, script, ...files, address, ...options], {
    env: { ...process.env, OMP_NUM_THREADS: "1" },
  });
  child.stdin.end(heldOut.map(({ text }, row) => (row % 10 === 0 ? `${text}\n` : "")).join(""));
  const [stdout, stderr, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve) => child.on("close", resolve)),
  ]);
  return { code, output: stdout + stderr };
};
