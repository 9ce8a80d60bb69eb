/** One entry of a folder. */
export interface Entry {
  readonly name: string;
  /** Links are followed; a link to nowhere or in a circle is "other". */
  readonly kind: "file" | "folder" | "other";
  /** Bytes; 0 for folders. */
  readonly size: number;
  /** For a broken link: its target. */
  readonly deadLink?: string;
}

/** The checker's access to files. Paths have "/" and are relative to the model repository. */
export interface RepositoryHost {
  /** The entries of a folder, sorted by name; undefined when it is none or cannot be read. */
  list(folder: string): readonly Entry[] | undefined;
  /** A file's bytes, at most `limit` of them; undefined when it is none or cannot be read. */
  read(file: string, limit?: number): Uint8Array | undefined;
  /**
   * Bytes of a file from `offset` on, fewer than `length` at its end; undefined when it is none or cannot be read.
   * Without it large model files are read whole.
   */
  readAt?(file: string, offset: number, length: number): Uint8Array | undefined;
  /** Whether links lead from a path of the repository to something outside of it; findings quote nothing from there. Without it none does. */
  leaves?(path: string): boolean;
  /** Where a path leads when all links are followed, in the machine's own words; undefined for nothing. Without it nothing is known of links. */
  realPath?(path: string): string | undefined;
}
