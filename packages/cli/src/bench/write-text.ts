import { resolve } from "node:path";
import { notWritable } from "@tritype/core";
import { writeWhole } from "@tritype/wheels";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";

/** Writes a file that an option names. @throws PipelineError `file/not-writable` */
export const writeText = ({ cwd, note }: Terminal, path: string, text: string): void => {
  const full = resolve(cwd, path);
  const shown = shownPath(cwd, full);
  try {
    writeWhole(full, text);
  } catch (error) {
    throw notWritable(shown, error, "name another file");
  }
  note(`wrote ${shown}`);
};
