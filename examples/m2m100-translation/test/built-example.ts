import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { type NamedTensors, tensorOf, valuesOf } from "@tritype/core";
import { startRuntime } from "@tritype/runtime";
import type { Order } from "../clients/translate.ts";

/** The example, built in its own folder and served locally. */
export interface BuiltExample {
  /** Path of the model repository. */
  readonly repository: string;
  /** Returns one translation per order, in one request. */
  readonly translate: (orders: readonly Order[]) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

const example = fileURLToPath(new URL("..", import.meta.url));

/** Builds like `WEIGHTS=<weights> pipeline build`, and serves like `pipeline dev`. Any notice during the build is an error. */
export const buildExample = async (weights: "fp32" | "int8"): Promise<BuiltExample> => {
  const build = await mkdtemp(join(tmpdir(), "tritype-m2m100-"));
  process.env["WEIGHTS"] = weights;
  const { compilation } = await compileProject(findProject(example));
  delete process.env["WEIGHTS"];
  if (compilation.build === undefined || compilation.diagnostics.length > 0)
    throw new Error(compilation.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  writeBuild(build, compilation.build.tree);
  const notice = (text: string): void => {
    throw new Error(text);
  };
  const repository = join(build, "model_repository");
  const runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice });
  return {
    repository,
    translate: async (orders) => {
      const { outputs } = await runtime.infer({ model: "translate", id: "", inputs: inputsOf(orders) });
      const translation = outputs.get("translation");
      if (translation === undefined) throw new Error("no output translation");
      return valuesOf(translation).map(String);
    },
    close: async () => {
      await runtime.close();
      await rm(build, { recursive: true, force: true });
    },
  };
};

const inputsOf = (orders: readonly Order[]): NamedTensors => {
  const column = (values: readonly string[]) => tensorOf("BYTES", [values.length, 1], values);
  return new Map([
    ["text", column(orders.map(({ text }) => text))],
    ["source_language", column(orders.map(({ from }) => from))],
    ["target_language", column(orders.map(({ to }) => to))],
  ]);
};
