import { fstatSync } from "node:fs";
import module from "node:module";
import { text } from "node:stream/consumers";
import v8 from "node:v8";
import { attempt, notWritable } from "@tritype/core";
import pc from "picocolors";
import type { Colors } from "picocolors/types.js";
import { terminalText } from "./terminal-text.ts";

/** The input and output of a command. Results go to stdout, everything else to stderr. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Colors for `note`. */
  readonly colors: Colors;
  /** Colors for `out`. */
  readonly outColors: Colors;
  /** Results. */
  out(text: string): void;
  /** Progress, notices, diagnostics. */
  note(text: string): void;
  /** Width of the terminal that `note` prints to; undefined if it is not a terminal. */
  readonly columns: number | undefined;
  /**
   * A progress line that is replaced by the next line of any kind; has no effect if `note` does not print to a
   * terminal. "" removes it.
   */
  progress(text: string): void;
  /** Whether stdin is a pipe or a file rather than a terminal. */
  inputIsPiped(): boolean;
  /** All of stdin, as UTF-8. */
  readInput(): Promise<string>;
  /** Resolves at the first Ctrl-C or SIGTERM after this call; all others terminate the process. */
  untilStopped(): Promise<"Ctrl-C" | "SIGTERM">;
  /** Exits with this code after this many milliseconds if the process is still running. */
  exitAfter(milliseconds: number, code: number): void;
}

/** Prints a line for the user, marked as a note. */
export const noticeOf =
  ({ note, colors }: Pick<Terminal, "note" | "colors">) =>
  (text: string): void =>
    note(`${colors.dim("note")} ${text}`);

/**
 * The terminal of this process. A reader that closes the pipe (`pipeline … | head`) does not cause an error; a result that
 * cannot be written does, but notes that cannot be written do not keep a command from its work.
 */
export const createTerminal = (): Terminal => {
  const terminal = processTerminal();
  if (listens) return terminal;
  listens = true;
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || process.listeners("exit").includes(fail)) return;
    const { reason, message } = notWritable("stdout", error, "");
    terminal.note(`${terminal.colors.red(`error[${reason}]`)}: ${message}`);
    process.on("exit", fail);
  });
  return terminal;
};

/**
 * On Node 20, commands start with a setting that makes V8 optimize functions late (packages/tritype/bin/pipeline.js). A command
 * that waits for Ctrl-C serves or measures requests, for which this would take ten times as many requests.
 */
const optimizeAsUsual = (): void => {
  if (!("enableCompileCache" in module)) v8.setFlagsFromString(`--interrupt-budget=${usualBudget}`);
};

/** V8's own default in Node 20. */
const usualBudget = 67_584;

/** Whether errors of stdout and stderr have listeners: one process can run several commands. */
let listens = false;

const fail = (): void => void (process.exitCode = 2);

const processTerminal = (): Terminal => {
  let showsProgress = false;
  const progress = (text: string): void => {
    if (!isTerminal(process.stderr) || (text === "" && !showsProgress)) return;
    process.stderr.write(`\r\u001b[2K${terminalText(text).slice(0, process.stderr.columns - 1)}`);
    showsProgress = text !== "";
  };
  return {
    cwd: process.cwd(),
    env: process.env,
    colors: pc.createColors(pc.isColorSupported && isTerminal(process.stderr)),
    outColors: pc.createColors(pc.isColorSupported && isTerminal(process.stdout)),
    get columns() {
      return isTerminal(process.stderr) ? process.stderr.columns : undefined;
    },
    progress,
    out: (line) => {
      progress("");
      process.stdout.write(`${isTerminal(process.stdout) ? terminalText(line) : line}\n`);
    },
    note: (line) => {
      progress("");
      process.stderr.write(`${isTerminal(process.stderr) ? terminalText(line) : line}\n`);
    },
    inputIsPiped: isPiped,
    readInput: () => text(process.stdin),
    untilStopped: () => {
      optimizeAsUsual();
      return new Promise((resolve) => {
        const stop = (signal: NodeJS.Signals): void => {
          process.off("SIGINT", stop).off("SIGTERM", stop);
          resolve(signal === "SIGINT" ? "Ctrl-C" : "SIGTERM");
        };
        process.on("SIGINT", stop).on("SIGTERM", stop);
      });
    },
    exitAfter: (milliseconds, code) => {
      setTimeout(() => process.exit(code), milliseconds).unref();
    },
  };
};

/**
 * For a pipe, this is undefined, not false; `createColors(undefined)` would go by the environment (CI has colors).
 */
const isTerminal = (stream: { readonly isTTY?: boolean }): boolean => stream.isTTY === true;

const isPiped = (): boolean =>
  attempt(() => {
    // A plain fstat of a pipe makes Node's next realpath stop early (it uses the last stat), and imports fail.
    const stdin = fstatSync(0, { bigint: true });
    return stdin.isFIFO() || stdin.isFile();
  }) ?? false;
