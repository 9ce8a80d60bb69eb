/** The compiler's access to files and hashes. Paths are relative to the project's root and use "/". */
export interface CompilerHost {
  /** The bytes of a file, or undefined if it does not exist. */
  readFile(path: string): Uint8Array | undefined;
  /** A file that may be too large to read whole, or undefined if it does not exist. Default: read whole. */
  openFile?(path: string): HostFile | undefined;
  /** Sorted relative paths of all files in a folder and its subfolders, or undefined if it does not exist. */
  listFiles(folder: string): readonly string[] | undefined;
  /** Lower-case hexadecimal SHA-256. */
  sha256(bytes: Uint8Array): string;
  /**
   * The hash of data that does not fit into memory. Default: the parts are concatenated first. @param key Equal for
   * equal bytes, so that the hash may be cached.
   */
  hashPieces?(key: string, pieces: () => Iterable<Uint8Array>): string;
}

/** A file that is never kept in memory, because weights can take gigabytes. */
export interface HostFile {
  /** The file's path on this machine; undefined if it is not on disk. */
  readonly place: string | undefined;
  /** Bytes. */
  readonly size: number;
  /** The whole content, read again each time. */
  readonly bytes: Uint8Array;
  /** At most `length` bytes starting at `offset`; undefined if the file cannot be read. */
  readAt(offset: number, length: number): Uint8Array | undefined;
  /** Lower-case hexadecimal SHA-256 of the whole content. */
  sha256(): string;
}
