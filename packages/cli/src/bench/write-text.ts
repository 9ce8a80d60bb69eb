import { resolve } from "node:path";
import { notWritable } from "@tritype/core";
import { writeWhole } from "@tritype/wheels";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";

/** Writes a file that an option names. @throws PipelineError `file/not-writable` */
export const writeText = (terminal: Terminal, path: string, text: string): void => {
  const full = resolve(terminal.cwd, path);
  try {
    writeWhole(full, text);
  } catch (error) {
    throw notWritable(shownPath(terminal.cwd, full), error, "name another file");
  }
  terminal.note(`wrote ${shownPath(terminal.cwd, full)}`);
};
