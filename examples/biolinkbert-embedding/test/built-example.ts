import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { type NamedTensors, type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { startRuntime } from "@tritype/runtime";
import { contextualEncoder } from "../../../test/fixtures/contextual-encoder.ts";
import { makeProject, type ProjectFixture } from "../../../test/fixtures/project.ts";
import type { Vector } from "../../sentence-embedding/test/vectors.ts";

/** A project, built in its own folder and served locally. */
export interface BuiltExample {
  /** Path of the build folder. */
  readonly build: string;
  readonly infer: (model: string, inputs: NamedTensors) => Promise<NamedTensors>;
  /** Returns one vector per text, in one request. */
  readonly embed: (texts: readonly string[]) => Promise<readonly Vector[]>;
  readonly close: () => Promise<void>;
}

const example = fileURLToPath(new URL("..", import.meta.url));

/** Builds like `POOLING=<pooling> pipeline build` in the project, and serves like `pipeline dev`. */
export const buildExample = async (pooling: "mean" | "cls", root = example): Promise<BuiltExample> => {
  const build = await mkdtemp(join(tmpdir(), "tritype-biolinkbert-"));
  process.env["POOLING"] = pooling;
  const { compilation } = await compileProject(findProject(root));
  delete process.env["POOLING"];
  if (compilation.build === undefined || compilation.diagnostics.length > 0)
    throw new Error(compilation.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  writeBuild(build, compilation.build.tree);
  const notice = (text: string): void => {
    throw new Error(text);
  };
  const repository = join(build, "model_repository");
  const runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice });
  const infer: BuiltExample["infer"] = async (model, inputs) =>
    (await runtime.infer({ model, id: "", inputs })).outputs;
  return {
    build,
    infer,
    embed: async (texts) => rowsOf((await infer("embed", textInput(texts))).get("embedding")),
    close: async () => {
      await runtime.close();
      await rm(build, { recursive: true, force: true });
    },
  };
};

export const textInput = (texts: readonly string[]): NamedTensors =>
  new Map([["text", tensorOf("BYTES", [texts.length, 1], texts)]]);

/** FP32[rows, size] as lists. */
export const rowsOf = (tensor: TensorData | undefined): readonly Vector[] => {
  if (tensor?.dtype !== "FP32") throw new Error(`embedding is ${tensor?.dtype}`);
  const [rows = 0, size = 0] = tensor.shape;
  const values = valuesOf(tensor).map(Number);
  return Array.from({ length: rows }, (_, row) => values.slice(row * size, (row + 1) * size));
};

/**
 * The example with an encoder whose tokens attend to each other, set up as described in the README: `models/stand-in.ts` names another
 * file. `ofEncoder`: another option of the encoder, such as "fuse: false,".
 */
export const contextualProject = (ofEncoder = ""): ProjectFixture => {
  const read = (file: string): string => readFileSync(join(example, file), "utf8");
  const standIn = read("models/stand-in.ts")
    .replace("../sentence-embedding/assets/static/model.onnx", "models/contextual.onnx")
    .replace("../sentence-embedding/assets/tokenizer", "assets/tokenizer")
    .replace('"seq", 128', '"seq", 16');
  return makeProject({
    "pipeline.ts": read("pipeline.ts").replace("...file,", `...file, ${ofEncoder}`),
    "pipeline.config.ts": read("pipeline.config.ts"),
    "models/stand-in.ts": standIn,
    "models/contextual.onnx": contextualEncoder(16),
  });
};
