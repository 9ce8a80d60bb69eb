import type { ContentHash } from "./content-hash.ts";

/** One file of a repository, as the hub lists it. */
export interface HubFile {
  /** From the repository's root, with "/"; stays below it. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly hash: ContentHash;
}

/** The hub's description of a repository at one commit. */
export interface HubRepository {
  /** `owner/name`. */
  readonly name: string;
  /** The revision that was asked for: a branch, a tag or a commit. */
  readonly revision: string;
  /** What it was at that moment. */
  readonly commit: string;
  /** What the model is for, such as `sentence-similarity`; undefined where the repository does not say. */
  readonly task: string | undefined;
  readonly files: readonly HubFile[];
}
