import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { foreignError } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";

/** Output → its labels by index. */
export type Labels = ReadonlyMap<string, readonly string[]>;

/**
 * The label files of a model's outputs, one label per line, from the model's folder.
 * @throws PipelineError `repository/invalid` with Triton's message.
 */
export const readLabels = async (folder: string, { output = [] }: ModelConfig): Promise<Labels> => {
  const labels = new Map<string, readonly string[]>();
  for (const { name = "", label_filename: file = "" } of output) {
    if (file === "") continue;
    const path = join(folder, file);
    const text = await readFile(path, "utf8").catch((cause: unknown) => {
      throw foreignError(
        "repository/invalid",
        `failed to open text file for read ${path}: No such file or directory`,
        {
          cause,
        },
      );
    });
    labels.set(name, text.replace(/\n$/, "").split("\n"));
  }
  return labels;
};
