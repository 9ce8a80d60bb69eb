import { tmpdir } from "node:os";
import { type ErrorCode, InternalError, messageOf, notWritable, PipelineError } from "@tritype/core";
import { mapBeside, mapStack, ProjectError, renderDiagnostic } from "@tritype/project/diagnostics";
import type { Colors } from "picocolors/types.js";
import type { ExitCode } from "./command.ts";
import { cliError } from "./errors.ts";

/** An error for display: the problem and the help text; for our own bugs, also the details for a report. */
export const describeError = (thrown: unknown, colors: Colors, version: string): string => {
  const error = ofMachine(thrown);
  if (error instanceof ProjectError)
    return error.diagnostics
      .map((diagnostic) => renderDiagnostic(diagnostic, error.readSource, colors))
      .join("\n\n");
  if (PipelineError.is(error))
    return [
      `${colors.red(colors.bold(`error[${error.reason}]`))}${colors.bold(`: ${error.message}`)}`,
      ...(error.help === undefined ? [] : [`  ${colors.dim("=")} ${colors.green("help")}: ${error.help}`]),
    ].join("\n");
  const stack = error instanceof Error ? mapStack(error.stack ?? error.message, mapBeside) : String(error);
  const title =
    error instanceof InternalError
      ? "this is a bug in tritype"
      : "unexpected error, most likely a bug in tritype";
  return `${colors.red(colors.bold("error"))}: ${title}\n${stack}\n(tritype ${version}, node ${process.version}, ${process.platform}-${process.arch})`;
};

/** The error for a limit on open files that is too low. Node then finds no packages, because it cannot open them. */
const tooFewFiles = (error: unknown): PipelineError | undefined => {
  const text = error instanceof Error ? (error.stack ?? error.message) : "";
  const isFull = /\bE[MN]FILE\b/.test(text);
  // Creating a report takes a long time.
  if (!isFull && !/Cannot find (?:package|module)/.test(text)) return undefined;
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files: { readonly soft: unknown } };
  };
  const limit = Number(report.userLimits?.open_files.soft);
  return isFull || limit < 512 ? cliError("machine/open-files", { limit }, { cause: error }) : undefined;
};

/** A full disk, or a folder for temporary files that cannot be used, is a problem of the machine and never a bug. */
export const ofMachine = (error: unknown): unknown => {
  const { code, syscall, path, dest } = (error ?? {}) as {
    readonly code?: unknown;
    readonly syscall?: unknown;
    readonly path?: unknown;
    readonly dest?: unknown;
  };
  if (PipelineError.is(error)) return error;
  if (syscall === "mkdtemp")
    return notWritable(tmpdir(), error, "set TMPDIR to a folder that you can write to");
  if (code !== "ENOSPC" && code !== "EDQUOT") return tooFewFiles(error) ?? error;
  const place = [dest, path].find((one) => typeof one === "string");
  return notWritable(
    place ?? tmpdir(),
    error,
    "make room there; for temporary files, you can set TMPDIR to another folder",
  );
};

/** Codes for errors in the pipeline or the request; all other errors prevented the command from running. */
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

/** The exit code of a command that threw `error`. */
export const exitCodeOf = (thrown: unknown): ExitCode => {
  const error = ofMachine(thrown);
  return PipelineError.is(error) && found.includes(error.code) ? 1 : 2;
};

/**
 * `{ error: { code, reason, message, help } }` for programs; `help` is null if there is none, and `code` is "internal" for our own
 * bugs.
 */
export const printErrorJson = (thrown: unknown): string => {
  const error = ofMachine(thrown);
  const said = PipelineError.is(error)
    ? { code: error.code, reason: error.reason, message: error.message, help: error.help ?? null }
    : {
        code: "internal",
        reason: "internal",
        message: messageOf(error),
        help: null,
      };
  return JSON.stringify({ error: said }, null, 2);
};
