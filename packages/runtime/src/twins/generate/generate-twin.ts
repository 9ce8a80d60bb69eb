import { availableParallelism } from "node:os";
import { dtypeOfConfigName, invariant, PipelineError } from "@tritype/core";
import { generateTwinSchema } from "@tritype/manifest";
import type { LoadedModel, ModelVersion } from "../../backend.ts";
import { type GenerateThread, openGenerateThread } from "./generate-thread.ts";
import type { DeclaredOutput } from "./read-request.ts";

/**
 * The native twin of a generate step: the same tokens, texts and codes of errors as the emitted `model.py`, which is the contract. Each
 * instance is a thread with sessions of its own.
 * @throws PipelineError as `loadTwin`.
 */
export const loadGenerateTwin = async (given: unknown, model: ModelVersion): Promise<LoadedModel> => {
  const read = generateTwinSchema.safeParse(given);
  if (!read.success)
    throw new PipelineError(
      "repository/invalid",
      `the manifest's generate step ${model.name} cannot be read`,
      {
        cause: read.error,
        help: "build the repository again",
      },
    );
  const { data: options } = read;
  const instances = instanceCount(model);
  const start = {
    options,
    folder: model.versionFolder,
    threads: Math.max(1, Math.floor(availableParallelism() / instances)),
    outputs: declaredOutputs(model),
  };
  const threads = await Promise.all(Array.from({ length: instances }, () => openGenerateThread(start))).catch(
    (cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new PipelineError("model/failed", `${options.step} cannot be loaded: ${reason}`, { cause });
    },
  );
  const idle: GenerateThread[] = [...threads];
  return {
    instances,
    async execute(requests) {
      const thread = idle.pop();
      invariant(thread !== undefined, `${model.name} runs more than its instances`);
      try {
        const answers = await thread.execute(
          requests.map(({ inputs, outputs }) => ({ inputs: [...inputs], outputs })),
          requests.map(({ signal }) => signal),
        );
        return answers.map((answer) =>
          "text" in answer
            ? { error: new PipelineError(answer.code, answer.text) }
            : { outputs: new Map(answer.outputs) },
        );
      } finally {
        idle.push(thread);
      }
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
};

const instanceCount = ({ config }: ModelVersion): number =>
  (config.instance_group ?? []).reduce((sum, { count = 1 }) => sum + count, 0) || 1;

const declaredOutputs = ({ name: model, config }: ModelVersion): readonly DeclaredOutput[] =>
  (config.output ?? []).map(({ name = "", data_type = "TYPE_INVALID", dims = [] }) => {
    const dtype = dtypeOfConfigName(data_type);
    if (dtype === undefined)
      throw new PipelineError("repository/invalid", `output ${name} of ${model} is ${data_type}`);
    return { name, dtype, dims };
  });
