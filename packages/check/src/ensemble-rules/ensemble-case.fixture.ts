import { invariant } from "@tritype/core";
import { type ModelConfig, type ModelEnsemblingStep, printModelConfig } from "@tritype/triton";

/** The configurations of a test case. The first is the ensemble under test. */
export interface EnsembleCase {
  readonly models: readonly ModelConfig[];
  /** The changes that broke it, as keys of `faults`. */
  readonly faults: readonly string[];
}

/** Name of the members' backend; the core alone checks models with this backend. */
export const memberBackend = "identity";

/** The files of a case: for each model, `config.pbtxt` and a version folder that only contains a placeholder file. */
export const caseFiles = ({ models }: EnsembleCase): Readonly<Record<string, string>> =>
  Object.fromEntries(
    models.flatMap((config) => [
      [`${config.name}/config.pbtxt`, printModelConfig(config)],
      [`${config.name}/1/.keep`, ""],
    ]),
  );

/** The parameters for generating a valid ensemble; each number is taken modulo the number of choices. */
export interface EnsembleDraft {
  /** Number of steps in each layer. */
  readonly layers: readonly number[];
  readonly picks: readonly number[];
  readonly maxBatchSize: number;
}

interface Tensor {
  readonly name: string;
  readonly data_type: "TYPE_FP32" | "TYPE_INT64" | "TYPE_STRING" | "TYPE_BOOL";
  readonly dims: readonly number[];
}

const dataTypes = ["TYPE_FP32", "TYPE_INT64", "TYPE_STRING", "TYPE_BOOL"] as const;
const shapes: readonly (readonly number[])[] = [[4], [-1], [2, 3], [-1, 8], [1]];

/** A legal ensemble generated from these parameters. `prefix` is added before every model's name. */
export const legalEnsemble = (draft: EnsembleDraft, prefix: string): EnsembleCase => {
  let at = 0;
  const pick = <T>(from: readonly T[]): T => {
    const number = draft.picks[at++ % draft.picks.length] ?? 0;
    const chosen = from[(number + at) % from.length];
    invariant(chosen !== undefined, "there is something to pick from");
    return chosen;
  };
  const batched = draft.maxBatchSize > 0;
  const inputs = ["A", "B"].map((name): Tensor => ({ name, data_type: pick(dataTypes), dims: pick(shapes) }));
  let tensors: readonly Tensor[] = inputs;
  const read = new Set<string>();
  const steps: ModelEnsemblingStep[] = [];
  const members: ModelConfig[] = [];
  for (const [layer, count] of draft.layers.entries()) {
    const made: Tensor[] = [];
    for (let i = 0; i < count; i++) {
      const sources = [...new Set([pick(tensors), pick(tensors)])];
      const name = `${prefix}m${layer}${i}`;
      const out: Tensor = { name: `T${layer}${i}`, data_type: pick(dataTypes), dims: pick(shapes) };
      const free = !batched || pick([true, false, false]);
      const dims = (tensor: Tensor): readonly number[] => {
        const own = pick([false, false, true]) ? tensor.dims.map(() => -1) : tensor.dims;
        return free && batched ? [-1, ...own] : own;
      };
      for (const source of sources) read.add(source.name);
      members.push({
        name,
        backend: memberBackend,
        max_batch_size: free ? 0 : draft.maxBatchSize + pick([0, 4]),
        input: sources.map((source, j) => ({
          name: `IN${j}`,
          data_type: source.data_type,
          dims: dims(source),
        })),
        output: [{ name: "OUT", data_type: out.data_type, dims: dims(out) }],
      });
      steps.push({
        model_name: name,
        model_version: -1,
        input_map: Object.fromEntries(sources.map((source, j) => [`IN${j}`, source.name])),
        output_map: { OUT: out.name },
      });
      made.push(out);
    }
    tensors = [...tensors, ...made];
  }
  const ensemble: ModelConfig = {
    name: `${prefix}ensemble`,
    platform: "ensemble",
    max_batch_size: draft.maxBatchSize,
    input: inputs.filter(({ name }) => read.has(name)),
    output: tensors.filter(({ name }) => !read.has(name) && name !== "A" && name !== "B"),
    ensemble_scheduling: { step: pick([true, false]) ? steps : steps.toReversed() },
  };
  return { models: [ensemble, ...members], faults: [] };
};
