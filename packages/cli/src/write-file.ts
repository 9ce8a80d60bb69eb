import { dirname, resolve } from "node:path";
import { notWritable } from "@tritype/core";
import type { Report } from "@tritype/report";
import { makeFolders, writeWhole } from "@tritype/wheels";
import type { Given } from "./command.ts";
import { shownPath } from "./shown-path.ts";
import type { Terminal } from "./terminal.ts";

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

/** Writes a file that an option names. @throws PipelineError `file/not-writable` */
export const writeText = ({ cwd, note }: Terminal, path: string, text: string): void => {
  const full = resolve(cwd, path);
  const shown = shownPath(cwd, full);
  writeFile(full, text, shown, "name another file");
  note(`wrote ${shown}`);
};

/** Writes the page of `--html`, if it is given. @throws PipelineError `file/not-writable` */
export const writeReport = async (
  given: Given,
  terminal: Terminal,
  report: () => Report | Promise<Report>,
): Promise<void> => {
  const html = given.text("html");
  if (html === undefined) return;
  const { renderReport } = await import("@tritype/report");
  writeText(terminal, html, await renderReport(await report()));
};
