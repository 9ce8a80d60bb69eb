import type { Diagnostic } from "@tritype/core";
import type { ExitCode } from "../command.ts";
import type { CommitGate } from "./commit-gate.ts";

/** The arguments of the build thread. */
export interface BuildThreadStart {
  /** Root of the project. */
  readonly root: string;
  /** The current folder. */
  readonly cwd: string;
  readonly color: boolean;
  readonly gate: CommitGate;
}

/** A request for one build. */
export interface BuildRequest {
  /** The served build folder. If the project's configuration now names another build folder, the project is not built. */
  readonly output: string | undefined;
}

/** The result of one build: the files that it read, its messages, and how it ended. */
export type BuildOutcome = {
  /** Absolute paths, including files that were looked for but are missing. */
  readonly inputs: readonly string[];
  /** Diagnostics and errors, rendered. */
  readonly notes: readonly string[];
} & (
  | {
      readonly kind: "built";
      readonly repository: string;
      readonly output: string;
      readonly summary: string;
      readonly warnings: readonly Diagnostic[];
    }
  | {
      readonly kind: "failed";
      readonly exitCode: ExitCode;
      /** The build folder of a failed first build; undefined if the configuration cannot be read. */
      readonly output?: string | undefined;
    }
  | { readonly kind: "moved"; readonly output: string }
);
