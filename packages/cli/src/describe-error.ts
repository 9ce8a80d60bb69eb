import { type ErrorCode, InternalError, PipelineError } from "@tritype/core";
import type { Colors } from "picocolors/types.js";
import type { ExitCode } from "./command.ts";
import { ProjectError } from "./project/project-error.ts";
import { renderDiagnostic } from "./render-diagnostic.ts";

/** An error as people read it: what, and the way out; our own bugs with what a report needs. */
export const describeError = (error: unknown, colors: Colors, version: string): string => {
  if (error instanceof ProjectError)
    return error.diagnostics
      .map((diagnostic) => renderDiagnostic(diagnostic, error.readSource, colors))
      .join("\n\n");
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

/** Codes of mistakes in the pipeline or the request; everything else kept the command from doing its work. */
const found: readonly ErrorCode[] = [
  "project/invalid",
  "request/invalid",
  "request/malformed",
  "request/too-large",
  "request/unsupported",
  "request/cancelled",
  "model/not-found",
  "model/unavailable",
  "model/failed",
  "model/unknown-error",
  "model/already-exists",
];

/** What a command that threw `error` ends with. */
export const exitCodeOf = (error: unknown): ExitCode =>
  PipelineError.is(error) && found.includes(error.code) ? 1 : 2;

/** `{ error: { code, message, help } }` for programs; `help` is null where there is none, `code` is "internal" for bugs of ours. */
export const printErrorJson = (error: unknown): string => {
  const {
    code,
    message,
    help = null,
  } = PipelineError.is(error)
    ? error
    : { code: "internal", message: error instanceof Error ? error.message : String(error) };
  return JSON.stringify({ error: { code, message, help } }, null, 2);
};
