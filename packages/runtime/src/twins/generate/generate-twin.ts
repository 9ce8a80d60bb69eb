import { availableParallelism } from "node:os";
import { dtypeOfConfigName, invariant, foreignError } from "@tritype/core";
import { generateTwinSchema } from "@tritype/manifest";
import type { LoadedModel, ModelVersion } from "../../backend.ts";
import { type GenerateThread, openGenerateThread } from "./generate-thread.ts";
import type { DeclaredOutput } from "./read-request.ts";
import { runtimeError } from "../../errors.ts";
import { instanceCount } from "../instance-count.ts";
import { readOptions } from "../read-options.ts";

/**
 * The native twin of a generate step: the same tokens, error texts and error codes as the emitted `model.py`, which is
 * the contract. Each instance is a thread with its own sessions.
 * @throws PipelineError as `loadTwin`.
 */
export const loadGenerateTwin = async (given: unknown, model: ModelVersion): Promise<LoadedModel> => {
  const options = readOptions(generateTwinSchema, given, model);
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
      throw runtimeError("model/twin-not-loaded", { step: options.step, why: reason }, { cause });
    },
  );
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

const declaredOutputs = ({ name: model, config }: ModelVersion): readonly DeclaredOutput[] =>
  (config.output ?? []).map(({ name = "", data_type = "TYPE_INVALID", dims = [] }) => {
    const dtype = dtypeOfConfigName(data_type);
    if (dtype === undefined)
      throw runtimeError("manifest/output-type", { output: name, model, type: data_type });
    return { name, dtype, dims };
  });
