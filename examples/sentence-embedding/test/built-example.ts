import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { tensorOf, typedArrayOf } from "@tritype/core";
import { type Runtime, startRuntime } from "@tritype/runtime";
import type { Vector } from "./vectors.ts";

/** The value of `ENCODER`: the small model of the repository, or the full all-MiniLM-L6-v2. */
export type Encoder = "static" | "minilm";

/** The example, built in its own folder and served locally. */
export interface BuiltExample {
  /** Path of the model repository. */
  readonly repository: string;
  /** Returns one vector per text, in requests of at most `rows` texts (default 30) to an ensemble (default `embed`). */
  readonly embed: (texts: readonly string[], rows?: number, ensemble?: string) => Promise<readonly Vector[]>;
  readonly close: () => Promise<void>;
}

const example = fileURLToPath(new URL("..", import.meta.url));

/** Builds like `ENCODER=<encoder> pipeline build`, and serves like `pipeline dev`. */
export const buildExample = async (encoder: Encoder): Promise<BuiltExample> => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-example-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await build(encoder, folder);
    const repository = join(folder, "model_repository");
    const runtime = await serve(repository);
    return {
      repository,
      embed: async (texts, rows = 30, ensemble = "embed") => {
        const vectors: Vector[] = [];
        for (let start = 0; start < texts.length; start += rows)
          vectors.push(...(await infer(runtime, ensemble, texts.slice(start, start + rows))));
        return vectors;
      },
      close: async () => {
        await runtime.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
};

const build = async (encoder: Encoder, folder: string): Promise<void> => {
  process.env["ENCODER"] = encoder;
  const { compilation } = await compileProject(findProject(example));
  delete process.env["ENCODER"];
  if (compilation.build === undefined || compilation.diagnostics.length > 0)
    throw new Error(compilation.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  writeBuild(folder, compilation.build.tree);
};

/** Any notice makes the test fail, for instance the notice that Python replaces the native tokenizer. */
const serve = (repository: string): Promise<Runtime> => {
  const notice = (text: string): void => {
    throw new Error(text);
  };
  return startRuntime({ repository, device: "cpu", python: "twin", notice });
};

const infer = async (
  runtime: Runtime,
  model: string,
  texts: readonly string[],
): Promise<readonly Vector[]> => {
  const inputs = new Map([["text", tensorOf("BYTES", [texts.length, 1], texts)]]);
  const { outputs } = await runtime.infer({ model, id: "", inputs });
  const embedding = outputs.get("embedding");
  if (embedding?.dtype !== "FP32") throw new Error(`embedding is ${embedding?.dtype}`);
  const [rows = 0, size = 0] = embedding.shape;
  const values = Array.from(typedArrayOf(embedding), Number);
  return Array.from({ length: rows }, (_, row) => values.slice(row * size, (row + 1) * size));
};
