import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkBuild, compileProject, findProject, writeBuild } from "@tritype/project";
import { type NamedTensors, tensorOf, valuesOf } from "@tritype/core";
import { startRuntime } from "@tritype/runtime";
import { defaultRelease } from "@tritype/triton";
import { recipe } from "../recipe.ts";

/** The ensemble's answer for one text. */
export interface Answer {
  readonly label: string;
  readonly score: number;
  /** The label with the highest score, even if the answer is the label for unsure results. */
  readonly best: string;
  readonly verdict: string;
}

/** The example, built in its own folder and served locally with its `cpu` profile. */
export interface BuiltExample {
  /** Path of the build folder. */
  readonly build: string;
  readonly answer: (texts: readonly string[]) => Promise<readonly Answer[]>;
  readonly close: () => Promise<void>;
}

const example = fileURLToPath(new URL("..", import.meta.url));

/** Builds and checks like `pipeline build`, and serves like `pipeline dev --profile cpu`. Any notice during the build is an error. */
export const buildExample = async (): Promise<BuiltExample> => {
  const build = await mkdtemp(join(tmpdir(), "tritype-sentiment-"));
  const { compilation } = await compileProject(findProject(example));
  if (compilation.build === undefined) throw new Error("nothing was built");
  const { authors, ours } = checkBuild(compilation.emitted, { release: defaultRelease });
  const said = [...compilation.diagnostics, ...authors, ...ours];
  if (said.length > 0) throw new Error(said.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  writeBuild(build, compilation.build.tree);
  const notice = (text: string): void => {
    throw new Error(text);
  };
  const repository = join(build, "model_repository");
  const runtime = await startRuntime({
    repository,
    device: "cpu",
    python: "twin",
    notice,
    configName: "cpu",
  });
  return {
    build,
    answer: async (texts) =>
      answersOf((await runtime.infer({ model: "sentiment", id: "", inputs: textInput(texts) })).outputs),
    close: async () => {
      await runtime.close();
      await rm(build, { recursive: true, force: true });
    },
  };
};

export const textInput = (texts: readonly string[]): NamedTensors =>
  new Map([["text", tensorOf("BYTES", [texts.length, 1], texts)]]);

export const answersOf = (outputs: NamedTensors): readonly Answer[] => {
  const column = (name: string): readonly unknown[] => {
    const tensor = outputs.get(name);
    if (tensor === undefined) throw new Error(`no output ${name}`);
    return [...valuesOf(tensor)];
  };
  const scores = column("score");
  const verdicts = column("verdict");
  const all = column("scores").map(Number);
  const bestOf = (row: number): string => {
    const own = all.slice(row * recipe.labels.length, (row + 1) * recipe.labels.length);
    return recipe.labels[own.indexOf(Math.max(...own))] ?? "";
  };
  return column("label").map((label, row) => ({
    label: String(label),
    score: Number(scores[row]),
    best: bestOf(row),
    verdict: String(verdicts[row]),
  }));
};
