import { dirname } from "node:path";
import { notWritable } from "@tritype/core";
import { makeFolders, writeWhole } from "@tritype/wheels";

/**
 * Writes a whole file, and creates the folders around it.
 * @param shown The path in the error message.
 * @throws PipelineError `file/not-writable`
 */
export const writeFile = (path: string, text: string, shown: string, help: string): void => {
  try {
    makeFolders(dirname(path));
    writeWhole(path, text);
  } catch (error) {
    throw notWritable(shown, error, help);
  }
};
