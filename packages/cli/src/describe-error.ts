import { InternalError, PipelineError } from "@tritype/core";
import type { Colors } from "picocolors/types.js";

/** An error as people read it: what, and the way out; our own bugs with what a report needs. */
export const describeError = (error: unknown, colors: Colors, version: string): string => {
  if (PipelineError.is(error))
    return [
      `${colors.red(colors.bold(`error[${error.code}]`))}${colors.bold(`: ${error.message}`)}`,
      ...(error.help === undefined ? [] : [`  ${colors.dim("=")} ${colors.green("help")}: ${error.help}`]),
    ].join("\n");
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const title =
    error instanceof InternalError
      ? "this is a bug in tritype"
      : "unexpected error, most likely a bug in tritype";
  return `${colors.red(colors.bold("error"))}: ${title}\n${stack}\n(tritype ${version}, node ${process.version}, ${process.platform}-${process.arch})`;
};
