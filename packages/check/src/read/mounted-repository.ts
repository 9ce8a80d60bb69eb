import type { RepositoryHost } from "../repository-host.ts";

/** One of the repositories of a server. */
export interface MountedRepository {
  readonly host: RepositoryHost;
  /** What stands before its paths in messages: "" or a path that ends in "/". */
  readonly prefix: string;
}
