import type { ContentHash } from "./content-hash.ts";

/** One file in a repository, as the hub lists it. */
export interface HubFile {
  /** Path from the repository's root, with "/"; never leaves it. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly hash: ContentHash;
}

/** The hub's description of a repository at one commit. */
export interface HubRepository {
  /** `owner/name`. */
  readonly name: string;
  /** The requested revision: a branch, a tag or a commit. */
  readonly revision: string;
  /** The commit of the revision at that moment. */
  readonly commit: string;
  /** The task of the model, such as `sentence-similarity`; undefined if the repository does not specify it. */
  readonly task: string | undefined;
  readonly files: readonly HubFile[];
}
