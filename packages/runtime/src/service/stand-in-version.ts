import { standInTwinSchema } from "@tritype/manifest";
import type { ModelVersion } from "../backend.ts";
import { readOptions } from "../twins/read-options.ts";

/**
 * A model with the configuration for its ONNX stand-in, without the settings that belong to its own backend.
 * @throws PipelineError `repository/invalid` for options that were not written by a build.
 */
export const standInVersion = (model: ModelVersion, options: unknown): ModelVersion => {
  const { file, outputs } = readOptions(standInTwinSchema, options, model);
  const { optimization: _, parameters: __, cc_model_filenames: ___, ...config } = model.config;
  return {
    ...model,
    config: {
      ...config,
      backend: "onnxruntime",
      platform: "onnxruntime_onnx",
      default_model_filename: file,
      output: (config.output ?? []).map((output) => ({
        ...output,
        dims: outputs[output.name ?? ""] ?? output.dims ?? [],
      })),
      instance_group: (config.instance_group ?? []).map(({ count = 1 }) => ({ kind: "KIND_AUTO", count })),
    },
    writtenInstances: [{ kind: "KIND_AUTO", count: 1 }],
  };
};
