import type { Label } from "@tritype/core";
import type { FieldPath, ModelConfig } from "@tritype/triton";
import type { CheckOptions } from "./check-options.ts";
import type { Entry } from "./repository-host.ts";

export type { FieldPath } from "@tritype/triton";

/**
 * A model as rules see it. Its configuration is readable, because unreadable configurations are reported before any
 * rule runs.
 */
export interface ModelContext {
  /** Name of the model's folder. */
  readonly name: string;
  /** The folder's absolute path if it is known, otherwise its name. */
  readonly path: string;
  /** Path of its configuration, for messages; the model's folder if it has none. */
  readonly file: string;
  /** The fields that the text sets; `{}` without a configuration. */
  readonly written: ModelConfig;
  /** Whether there is a configuration file. */
  readonly hasConfig: boolean;
  /**
   * The configuration as the core completes it before validation (triton-rules section 0, steps 4 and 5), without the backends'
   * additions.
   */
  readonly config: ModelConfig;
  readonly options: CheckOptions;
  /**
   * The position of a field in the configuration, or of its nearest parent in the text; without a configuration, a
   * position in the model's file.
   */
  at(path: FieldPath, text: string): Label;
  /**
   * Entries of a folder in the model; "" is the model's own folder. As in the operating system, each part of a path that
   * another one follows must be a folder, even before "..".
   */
  list(folder: string): readonly Entry[] | undefined;
  /** A file in the model's folder. */
  read(file: string, limit?: number): Uint8Array | undefined;
  /** A part of a file in the model's folder, if the host can read parts. */
  readonly readAt?: ((file: string, offset: number, length: number) => Uint8Array | undefined) | undefined;
  /** The target of a path in the model after resolving all links, if the host knows it. */
  readonly realPath?: ((path: string) => string | undefined) | undefined;
}

/** A model with the findings of the single-model rules, and its configuration as completed by its backend. */
export interface CheckedModel {
  readonly model: ModelContext;
  /** The stage at which Triton refuses the model for its own faults, not those of models that it needs. */
  readonly refused: "poll" | "load" | undefined;
  /** The configuration as shown by `/v2/models/<name>/config`; undefined if the model is refused. */
  readonly completed: ModelConfig | undefined;
  /**
   * The part of the configuration that other findings may rely on: `completed`, or the reliable part of a refused
   * model's configuration. Undefined if fixing the refused model may change its tensors or batch.
   */
  readonly assumed: ModelConfig | undefined;
}

/** All models of a repository, by name; models with unreadable text are missing. */
export interface RepositoryContext {
  readonly models: ReadonlyMap<string, CheckedModel>;
  /** Names of folders whose configuration cannot be read. */
  readonly unreadable: ReadonlySet<string>;
  readonly options: CheckOptions;
}
