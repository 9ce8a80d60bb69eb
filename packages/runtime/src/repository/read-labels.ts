import { decodeUtf8, foreignError } from "@tritype/core";
import { labelsIn, type ModelConfig } from "@tritype/triton";
import { readNamedFile } from "./read-named-file.ts";

/** Output → its labels by index. */
export type Labels = ReadonlyMap<string, readonly string[]>;

/**
 * The label files of a model's outputs, one label per line, from the model's folder.
 * @throws PipelineError `model/failed` with Triton's message.
 */
export const readLabels = async (folder: string, { output = [] }: ModelConfig): Promise<Labels> => {
  const labels = new Map<string, readonly string[]>();
  for (const { name = "", label_filename: file = "" } of output) {
    if (file === "") continue;
    if (labels.has(name)) throw foreignError("model/failed", `multiple label files for '${name}'`);
    labels.set(name, labelsIn(decodeUtf8(await readNamedFile(folder, file))));
  }
  return labels;
};
