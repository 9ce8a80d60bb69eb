import type { ExitCode } from "../command.ts";

/** The arguments of the build thread. */
export interface BuildThreadStart {
  /** Root of the project. */
  readonly root: string;
  /** The current folder. */
  readonly cwd: string;
  readonly color: boolean;
}

/** Asks for one build. */
export interface BuildRequest {
  /** The build folder that is served; a project that has another one by now is not built. */
  readonly output: string | undefined;
}

/** One build: what it read, what it has to say, and how it ended. */
export type BuildOutcome = {
  /** Absolute paths, also of files that were looked for and are missing. */
  readonly inputs: readonly string[];
  /** Diagnostics and errors, rendered. */
  readonly notes: readonly string[];
} & (
  | { readonly kind: "built"; readonly repository: string; readonly output: string; readonly summary: string }
  | { readonly kind: "failed"; readonly exitCode: ExitCode }
  | { readonly kind: "moved"; readonly output: string }
);
