import { foreignError, invariant } from "@tritype/core";
import { nodeTwinSchema } from "@tritype/manifest";
import { type NodeChild, openNodeChild } from "@tritype/node-host";
import type { LoadedModel, ModelVersion } from "../backend.ts";
import { runtimeError } from "../errors.ts";
import { instanceCount } from "./instance-count.ts";
import { readOptions } from "./read-options.ts";

/**
 * The native twin of a function on Node: the emitted host and function, each instance in a process of this machine's Node, without the
 * `model.py` between.
 * @throws PipelineError as `loadTwin`.
 */
export const loadNodeTwin = async (
  given: unknown,
  model: ModelVersion,
  notice: (text: string) => void,
): Promise<LoadedModel> => {
  const options = readOptions(nodeTwinSchema, given, model);
  const names = Array.from({ length: instanceCount(model) }, (_, index) => `${model.name}_${index}`);
  const opening = names.map((name) =>
    openNodeChild({
      folder: model.versionFolder,
      options,
      notice: (line) => notice(`[${name}] ${line}`),
    }),
  );
  const children = await Promise.all(opening).catch(async (cause: unknown) => {
    for (const opened of await Promise.allSettled(opening))
      if (opened.status === "fulfilled") await opened.value.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw runtimeError("model/twin-not-loaded", { step: options.step, why }, { cause });
  });
  const idle: NodeChild[] = [...children];
  return {
    instances: children.length,
    async execute(requests) {
      const child = idle.pop();
      invariant(child !== undefined, `${model.name} runs more than its instances`);
      try {
        const answers = await child.execute(requests);
        return answers.map((answer, index) => {
          if ("outputs" in answer) {
            const wanted = requests[index]?.outputs ?? [];
            return { outputs: new Map([...answer.outputs].filter(([name]) => wanted.includes(name))) };
          }
          const error = foreignError(answer.code, `${options.step}: ${answer.text}`);
          return answer.code === "request/cancelled" ? { error } : { error, counts: "answer" as const };
        });
      } finally {
        idle.push(child);
      }
    },
    close: async () => {
      await Promise.all(children.map((child) => child.close()));
    },
  };
};
