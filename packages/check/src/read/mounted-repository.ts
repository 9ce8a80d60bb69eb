import type { Label } from "@tritype/core";
import type { FieldPath, ModelConfig } from "@tritype/triton";
import type { RepositoryHost } from "../repository-host.ts";

/** One of the repositories of a server. */
export interface MountedRepository {
  readonly host: RepositoryHost;
  /** What stands before its paths in messages: "" or a path that ends in "/". */
  readonly prefix: string;
  /** Configurations that are known without reading them, by the name of their model; all others are read. */
  readonly configs?: ReadonlyMap<string, KnownConfig>;
}

/** A configuration that a program made. */
export interface KnownConfig {
  readonly config: ModelConfig;
  /** Where its author wrote a field. */
  readonly at: (path: FieldPath, text: string) => Label;
}
