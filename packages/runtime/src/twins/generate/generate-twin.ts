import { availableParallelism } from "node:os";
import { invariant, foreignError } from "@tritype/core";
import { generateTwinSchema } from "@tritype/manifest";
import { activeInstances } from "@tritype/triton";
import type { LoadedModel, ModelVersion } from "../../backend.ts";
import { type GenerateThread, openGenerateThread } from "./generate-thread.ts";
import { declaredOutputs } from "../declared-outputs.ts";
import { openInstances } from "../open-instances.ts";
import { readOptions } from "../read-options.ts";

/**
 * The native twin of a generate step: the same tokens, error messages and codes as the emitted `model.py`,
 * which is the contract. Each instance is a thread with its own sessions.
 * @throws PipelineError as `loadTwin` does.
 */
export const loadGenerateTwin = async (given: unknown, model: ModelVersion): Promise<LoadedModel> => {
  const options = readOptions(generateTwinSchema, given, model);
  const instances = activeInstances(model.config).length;
  const start = {
    options,
    folder: model.versionFolder,
    threads: Math.max(1, Math.floor(availableParallelism() / instances)),
    outputs: [...declaredOutputs(model).values()],
  };
  const opening = Array.from({ length: instances }, () => openGenerateThread(start));
  const threads = await openInstances(options.step, opening);
  const idle: GenerateThread[] = [...threads];
  return {
    instances,
    async execute(requests) {
      const thread = idle.pop();
      invariant(thread !== undefined, `${model.name} runs more requests than it has instances`);
      try {
        const answers = await thread.execute(
          requests.map(({ inputs, outputs }) => ({ inputs: [...inputs], outputs })),
          requests.map(({ signal }) => signal),
        );
        return answers.map((answer) =>
          "text" in answer
            ? { error: foreignError(answer.code, answer.text) }
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
