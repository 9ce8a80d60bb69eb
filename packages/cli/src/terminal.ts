import { fstatSync } from "node:fs";
import { text } from "node:stream/consumers";
import pc from "picocolors";
import type { Colors } from "picocolors/types.js";

/** Where a command reads and prints. Answers go to stdout, everything else to stderr. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of what `note` prints. */
  readonly colors: Colors;
  /** Of what `out` prints. */
  readonly outColors: Colors;
  /** The user's choice. */
  out(text: string): void;
  /** Progress, notices, diagnostics. */
  note(text: string): void;
  /** Columns of the terminal that `note` prints to; undefined where it is none. */
  readonly columns: number | undefined;
  /** A line of progress that the next line of any kind replaces; nothing where `note` prints to no terminal. "" takes it away. */
  progress(text: string): void;
  /** Whether something is piped into stdin: a pipe or a file, not a terminal. */
  inputIsPiped(): boolean;
  /** All of stdin, as UTF-8. */
  readInput(): Promise<string>;
  /** Resolves at Ctrl-C. Until it is called, and from the second Ctrl-C on, the process just ends. */
  untilStopped(): Promise<void>;
  /** Ends the process with this code after so many milliseconds, should it still run. */
  exitAfter(milliseconds: number, code: number): void;
}

/** Prints a line that the user should know of, marked as a note. */
export const noticeOf =
  ({ note, colors }: Pick<Terminal, "note" | "colors">) =>
  (text: string): void =>
    note(`${colors.dim("note")} ${text}`);

/** The terminal of this process. Readers that go away (`pipeline … | head`) are not an error. */
export const createTerminal = (): Terminal => {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  return processTerminal();
};

const processTerminal = (): Terminal => {
  let showsProgress = false;
  const progress = (text: string): void => {
    if (!isTerminal(process.stderr) || (text === "" && !showsProgress)) return;
    process.stderr.write(`\r\u001b[2K${text.slice(0, process.stderr.columns - 1)}`);
    showsProgress = text !== "";
  };
  return {
    ...plainTerminal(),
    get columns() {
      return isTerminal(process.stderr) ? process.stderr.columns : undefined;
    },
    progress,
    out: (line) => {
      progress("");
      process.stdout.write(`${line}\n`);
    },
    note: (line) => {
      progress("");
      process.stderr.write(`${line}\n`);
    },
  };
};

const plainTerminal = (): Omit<Terminal, "out" | "note" | "progress" | "columns"> => ({
  cwd: process.cwd(),
  env: process.env,
  colors: pc.createColors(pc.isColorSupported && isTerminal(process.stderr)),
  outColors: pc.createColors(pc.isColorSupported && isTerminal(process.stdout)),
  inputIsPiped: isPiped,
  readInput: () => text(process.stdin),
  untilStopped: () =>
    new Promise((resolve) => {
      const stop = (): void => {
        process.off("SIGINT", stop).off("SIGTERM", stop);
        resolve();
      };
      process.on("SIGINT", stop).on("SIGTERM", stop);
    }),
  exitAfter: (milliseconds, code) => {
    setTimeout(() => process.exit(code), milliseconds).unref();
  },
});

/** Undefined, not false, where a stream is a pipe; and `createColors(undefined)` would take the environment's word (CI has colours). */
const isTerminal = (stream: { readonly isTTY?: boolean }): boolean => stream.isTTY === true;

const isPiped = (): boolean => {
  try {
    // A plain fstat of a pipe makes Node's next realpath stop early (it looks at the last stat), and imports fail.
    const stdin = fstatSync(0, { bigint: true });
    return stdin.isFIFO() || stdin.isFile();
  } catch {
    return false;
  }
};
