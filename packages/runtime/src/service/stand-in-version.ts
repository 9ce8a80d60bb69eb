import { PipelineError } from "@tritype/core";
import { standInTwinSchema } from "@tritype/manifest";
import type { ModelVersion } from "../backend.ts";

/**
 * A model as the ONNX Runtime backend loads its stand-in: without what is said to its own backend.
 * @throws PipelineError `repository/invalid` for options that no build wrote.
 */
export const standInVersion = (model: ModelVersion, options: unknown): ModelVersion => {
  const read = standInTwinSchema.safeParse(options);
  if (!read.success)
    throw new PipelineError("repository/invalid", `the manifest's stand-in of ${model.name} cannot be read`, {
      cause: read.error,
      help: "build the repository again",
    });
  const { file, outputs } = read.data;
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
