/** The compiler's access to files and hashes. Paths are relative to the project's root, with "/". */
export interface CompilerHost {
  /** The bytes of a file, or undefined when there is none. */
  readFile(path: string): Uint8Array | undefined;
  /** A file that may be too large to be read whole, or undefined when there is none. Default: all files are read whole. */
  openFile?(path: string): HostFile | undefined;
  /** Paths of all files in a folder and in its folders, relative to it and sorted, or undefined if the folder does not exist. */
  listFiles(folder: string): readonly string[] | undefined;
  /** Lower-case hexadecimal SHA-256. */
  sha256(bytes: Uint8Array): string;
}

/** A file of which nothing stays in memory: weights have gigabytes. */
export interface HostFile {
  /** Its path on this machine; undefined if it is not a file there. */
  readonly place: string | undefined;
  /** Bytes. */
  readonly size: number;
  /** All of it, read again each time. */
  readonly bytes: Uint8Array;
  /** At most `length` bytes from `offset` on; undefined when it cannot be read. */
  readAt(offset: number, length: number): Uint8Array | undefined;
  /** Lower-case hexadecimal SHA-256 of all of it. */
  sha256(): string;
}
