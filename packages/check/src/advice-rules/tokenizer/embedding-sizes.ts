import { decodeModel, type EmbeddingSizes, embeddingSizes as sizesOf } from "@tritype/onnx";
import type { ModelContext } from "../../model-context.ts";
import { onnxBytes } from "../../model/onnx-file.ts";
import { servedVersions } from "../../model/served-versions.ts";

/** Of the newest version's graph; undefined when there is no file that can be read. */
export const embeddingSizes = (model: ModelContext): EmbeddingSizes | undefined => {
  const version = servedVersions(model).at(-1);
  if (model.config.backend !== "onnxruntime" || version === undefined || model.options.configsOnly === true)
    return undefined;
  const bytes = onnxBytes(model, `${version}/${model.config.default_model_filename || "model.onnx"}`);
  if (bytes === undefined) return undefined;
  try {
    return sizesOf(decodeModel(bytes).graph ?? {});
  } catch {
    return undefined;
  }
};
