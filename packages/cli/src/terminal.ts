import pc from "picocolors";
import type { Colors } from "picocolors/types.js";

/** Where a command reads and prints. Answers go to stdout, everything else to stderr. */
export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly colors: Colors;
  /** What the user asked for. */
  out(text: string): void;
  /** Progress, notices, diagnostics. */
  note(text: string): void;
  /** Aborts when the user wants the command to end (Ctrl-C). */
  readonly stopped: AbortSignal;
}

/** The terminal of this process. */
export const createTerminal = (): Terminal => {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return {
    cwd: process.cwd(),
    env: process.env,
    colors: pc.createColors(pc.isColorSupported && process.stderr.isTTY === true),
    out: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    stopped: controller.signal,
  };
};
