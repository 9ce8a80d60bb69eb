import type { Label } from "@tritype/core";
import type { FieldPath, ModelConfig } from "@tritype/triton";
import type { CheckOptions } from "./check-options.ts";
import type { Entry } from "./repository-host.ts";

export type { FieldPath } from "@tritype/triton";

/** One model as rules see it. Its configuration was read: what cannot be read is reported before any rule runs. */
export interface ModelContext {
  /** Name of the model's folder. */
  readonly name: string;
  /** Path of its configuration, for messages; the model's folder when it has none. */
  readonly file: string;
  /** The fields that the text gives; `{}` without a configuration. */
  readonly written: ModelConfig;
  /** Whether there is a configuration file. */
  readonly hasConfig: boolean;
  /** As the core completes it before it validates (triton-rules section 0, steps 4 and 5); not what backends complete. */
  readonly config: ModelConfig;
  readonly options: CheckOptions;
  /** A place in the configuration: of the field, or of its nearest parent that is written. Without a configuration in the model's file. */
  at(path: FieldPath, text: string): Label;
  /** Entries of a folder of the model, "" for its own. */
  list(folder: string): readonly Entry[] | undefined;
  /** A file of the model. */
  read(file: string, limit?: number): Uint8Array | undefined;
  /** A part of a file of the model, where the host reads parts. */
  readonly readAt?: ((file: string, offset: number, length: number) => Uint8Array | undefined) | undefined;
  /** Where a path of the model leads when all links are followed, where the host knows. */
  readonly realPath?: ((path: string) => string | undefined) | undefined;
}

/** A model with what the rules of its own say, and its configuration as its backend completes it. */
export interface CheckedModel {
  readonly model: ModelContext;
  /** When Triton refuses it for a reason of its own (not for the models it needs); undefined when it does not. */
  readonly refused: "poll" | "load" | undefined;
  /** As `/v2/models/<name>/config` shows it; undefined when it is refused. */
  readonly completed: ModelConfig | undefined;
  /**
   * The configuration that other findings may build on: `completed`, or that of a refused model as far as it is certain.
   * Undefined when the model is refused for a reason that its tensors or its batch may have to change for.
   */
  readonly assumed: ModelConfig | undefined;
}

/** All models of a repository, by name; a model whose text cannot be read is missing. */
export interface RepositoryContext {
  readonly models: ReadonlyMap<string, CheckedModel>;
  /** Names of folders whose configuration cannot be read. */
  readonly unreadable: ReadonlySet<string>;
  readonly options: CheckOptions;
}
