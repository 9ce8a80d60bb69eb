/** An entry of a folder. */
export interface Entry {
  readonly name: string;
  /** Links are followed; a broken or circular link is "other". */
  readonly kind: "file" | "folder" | "other";
  /** Bytes; 0 for folders. */
  readonly size: number;
  /** For a broken link: its target. */
  readonly deadLink?: string;
}

/** The checker's access to files. Paths use "/" and are relative to the model repository. */
export interface RepositoryHost {
  /** The entries of a folder, sorted by name; undefined if it is not a folder or cannot be read. */
  list(folder: string): readonly Entry[] | undefined;
  /** A file's bytes, at most `limit` of them; undefined if it is not a file or cannot be read. */
  read(file: string, limit?: number): Uint8Array | undefined;
  /**
   * Bytes of a file from `offset` on, fewer than `length` at its end; undefined if it is not a file or cannot be read.
   * If the host lacks this function, large model files are read whole.
   */
  readAt?(file: string, offset: number, length: number): Uint8Array | undefined;
  /**
   * Whether a path leads out of the repository through links; findings quote nothing from such files. If the host lacks
   * this function, no path is treated as leading outside.
   */
  leaves?(path: string): boolean;
  /**
   * The target of a path after resolving all links, in the machine's own notation; undefined if it does not exist. If the host
   * lacks this function, link targets are unknown.
   */
  realPath?(path: string): string | undefined;
}
